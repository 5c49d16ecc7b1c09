/** Tasks and operations as maps, for json and yaml (operations.md#shown-tasks). */
import type { ResultOf } from '../../client/calls.ts';
import type { TaskResult } from '../../operate/tasks/results.ts';
import { parseTag } from '../../wire/tags.ts';
import { formatTimeWithZone } from '../format/time.ts';
import { sorted } from '../format/yaml.ts';

type OperationResult = ResultOf<'Action', 'Operations'>['results'][number];
type Described = Record<string, unknown>;

/** Describes a task as `run`, `exec` and `show-task` show it: keys in alphabetical order. */
export function describeTask(task: TaskResult, utc: boolean): Described {
  const receiver = task.action && parseTag(task.action.receiver);
  const timing = {
    completed: shownTime(task.completed, utc),
    enqueued: shownTime(task.enqueued, utc),
    started: shownTime(task.started, utc),
  };
  return {
    error: task.error?.message,
    id: task.action && parseTag(task.action.tag).id,
    log: logLines(task, utc),
    machine: receiver?.kind === 'machine' ? receiver.id : undefined,
    message: task.message || undefined,
    results: resultsOf(task),
    status: task.status,
    timing: hasAny(timing) ? timing : undefined,
    unit: receiver?.kind === 'unit' ? receiver.id : undefined,
  };
}

/** Describes tasks by the names of their receivers. */
export function describeTasks(tasks: readonly TaskResult[], utc: boolean): Record<string, Described> {
  return Object.fromEntries(tasks.map((task) => [receiverOf(task), describeTask(task, utc)]));
}

/** Describes an operation as `operations` and `show-operation` show it. */
export function describeOperation(operation: OperationResult, utc: boolean): Described {
  const tasks = operation.actions ?? [];
  const action = tasks.find((task) => task.action)?.action;
  return {
    summary: operation.summary,
    status: operation.status ?? '',
    fail: operation.fail || undefined,
    error: operation.error?.message,
    action: action && { name: action.name, parameters: inOrder(action.parameters ?? {}) },
    timing: timingOf(operation, utc),
    tasks:
      tasks.length > 0 ? Object.fromEntries(tasks.map((task) => [idOf(task), hosted(task, utc)])) : undefined,
  };
}

/** Returns the task's number. */
export function idOf(task: TaskResult): string {
  return task.action ? parseTag(task.action.tag).id : '';
}

export function receiverOf(task: TaskResult): string {
  return task.action ? parseTag(task.action.receiver).id : '';
}

function hosted(task: TaskResult, utc: boolean): Described {
  return {
    host: receiverOf(task),
    status: task.status ?? '',
    timing: timingOf(task, utc),
    log: logLines(task, utc),
    message: task.message || undefined,
    results: resultsOf(task),
  };
}

function timingOf(
  { enqueued, started, completed }: Pick<TaskResult, 'enqueued' | 'started' | 'completed'>,
  utc: boolean,
): Described | undefined {
  const timing = {
    enqueued: shownTime(enqueued, utc),
    started: shownTime(started, utc),
    completed: shownTime(completed, utc),
  };
  return hasAny(timing) ? timing : undefined;
}

function logLines({ log }: TaskResult, utc: boolean): string[] | undefined {
  if (!log || log.length === 0) return undefined;
  return log.map(({ timestamp, message }) => `${formatTimeWithZone(timestamp, utc)} ${message}`);
}

function resultsOf({ output }: TaskResult): Described | undefined {
  return output && Object.keys(output).length > 0 ? inOrder(output) : undefined;
}

/** Sorts the keys of maps in maps too. */
export function inOrder(values: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(
    sorted(values).map(([key, value]) => [
      key,
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? inOrder(value as Record<string, unknown>)
        : value,
    ]),
  );
}

const shownTime = (time: string | undefined, utc: boolean): string | undefined =>
  formatTimeWithZone(time, utc) || undefined;

const hasAny = (values: Described): boolean => Object.values(values).some((value) => value !== undefined);
