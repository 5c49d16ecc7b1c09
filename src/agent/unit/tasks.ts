import { JujuError, hasCode } from '../../core/errors.ts';
import type { HookEvent } from '../../hooks/context.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import type { AgentApi } from '../uplink.ts';
import type { Mirror } from '../mirror.ts';
import { isEmpty, toCommit } from './changes.ts';
import { actionSpecOf } from './hook-context.ts';
import { contextFor } from './run-hook-operation.ts';
import { stableId, type UnitWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

export const execName = 'juju-exec';

export type TaskOutcome = Omit<MachineAgentMethods['FinishTask']['params'], 'id'>;

/**
 * Runs the tasks of one receiver, one at a time, each at most once: one that an earlier agent had begun fails and
 * never runs again (unit-agent.md#tasks-once).
 */
export class Tasks {
  readonly #options: { readonly receiver: string; readonly api: AgentApi; readonly mirror: Mirror };
  /** Tasks that this process has begun or given up. */
  readonly #begunHere = new Set<string>();
  readonly #finished = new Set<string>();
  /** Tasks whose answer to StartTask was lost. */
  readonly #startUnknown = new Set<string>();
  #running: { readonly id: string; readonly abort: AbortController } | undefined;

  constructor(options: { receiver: string; api: AgentApi; mirror: Mirror }) {
    this.#options = options;
  }

  /** Aborts the running task when it has been cancelled. */
  onChange(): void {
    const { mirror } = this.#options;
    for (const id of this.#finished) if (!mirror.task(id)) this.#finished.delete(id);
    const running = this.#running;
    if (!running) return;
    const status = mirror.task(running.id)?.status;
    if (status === undefined || status === 'cancelled' || status === 'aborting') {
      running.abort.abort(new JujuError('action no longer available', 'task was cancelled'));
    }
  }

  /** Runs the oldest task. Returns false when there is none. */
  async runNext(
    run: (task: TaskRecord, signal: AbortSignal) => Promise<TaskOutcome>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { mirror, receiver } = this.#options;
    const task = mirror.tasks(receiver).find(({ id }) => !this.#finished.has(id));
    if (!task) return false;
    const { id } = task;
    const aborting = task.status === 'aborting';
    if ((task.status === 'running' && !this.#begunHere.has(id)) || aborting) {
      const status = aborting ? 'aborted' : 'failed';
      await this.#finish({ id, status, message: 'action terminated', output: {} }, signal);
      return true;
    }
    if (task.status === 'pending' && !(await this.#begin(id, signal))) return true;
    const abort = new AbortController();
    this.#running = { id, abort };
    let outcome: TaskOutcome;
    try {
      outcome = await run(task, AbortSignal.any([signal, abort.signal]));
    } catch (error) {
      signal.throwIfAborted();
      outcome = abort.signal.aborted
        ? { status: 'aborted', message: 'action terminated', output: {} }
        : { status: 'failed', message: error instanceof Error ? error.message : String(error), output: {} };
    } finally {
      this.#running = undefined;
    }
    await this.#finish({ id, ...outcome }, signal);
    return true;
  }

  /** Returns false when the task must not run, or when that is not known yet. */
  async #begin(id: string, signal: AbortSignal): Promise<boolean> {
    this.#begunHere.add(id);
    try {
      await this.#options.api.call('StartTask', { id }, { signal, once: true });
      return true;
    } catch (error) {
      // The stream will say whether the task has begun: as pending, running or removed.
      if (hasCode(error, 'try again')) this.#startUnknown.add(id);
      if (this.#startUnknown.has(id) || !(error instanceof JujuError)) throw error;
      this.#finished.add(id);
      return false;
    }
  }

  async #finish(params: MachineAgentMethods['FinishTask']['params'], signal: AbortSignal): Promise<void> {
    this.#finished.add(params.id);
    try {
      await this.#options.api.call('FinishTask', params, { signal });
    } catch (error) {
      if (hasCode(error, 'quota limit exceeded') && Object.keys(params.output).length > 0) {
        // The task fails with the reason, so that the user who waits for it sees why.
        return this.#finish({ ...params, status: 'failed', message: error.message, output: {} }, signal);
      }
      // The task was cancelled meanwhile: nothing waits for the result.
      if (!(error instanceof JujuError)) throw error;
    }
  }
}

/** Runs an action of the charm, or a script, in the unit's context. */
export async function runUnitTask(
  world: UnitWorld,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  return world.lock.hold(signal, async (release) => {
    const exec = task.name === execName;
    const debug = exec ? undefined : await world.host.debugSession?.([task.name]);
    if (debug) release();
    await world.statuses.setAgent(
      'executing',
      exec ? 'running commands' : `running action ${task.name}${debug ? ' in a debug session' : ''}`,
      signal,
    );
    const context = contextFor(world, eventOf(world, task));
    const timeoutMs = exec ? timeoutOf(task) : undefined;
    const result = await world.host.run({
      context,
      program: exec ? { command: commandOf(task) } : { dispatchPath: `actions/${task.name}` },
      capture: true,
      signal,
      onOutput: (stream, line) =>
        world.output(exec ? execName : task.name, stream === 'stdout' ? 'DEBUG' : 'WARNING', line),
      ...defined({ timeoutMs, debug }),
    });
    const outcome = exec ? execOutcome(result) : actionOutcome(result, context.changes.action);
    const ended = result.kind !== 'failed' || (exec && result.code !== undefined);
    const problem = ended ? await flush(world, task, context.changes, signal) : undefined;
    if (result.reboot !== '') world.reboot();
    if (problem === undefined) return outcome;
    return {
      status: 'failed',
      message: `committing requested changes failed: ${problem}`,
      output: { ...outcome.output, 'return-code': 1 },
    };
  });
}

export function commandOf(task: TaskRecord): string {
  const { command } = task.parameters;
  if (typeof command !== 'string') throw new JujuError('not valid', 'juju-exec needs a command');
  return command;
}

/** Timeout in milliseconds; `timeout` travels as Go's duration in nanoseconds, 0 = none. */
export function timeoutOf(task: TaskRecord): number | undefined {
  const { timeout } = task.parameters;
  return typeof timeout === 'number' && timeout > 0 ? Math.ceil(timeout / 1e6) : undefined;
}

/** The outcome of a script: its exit code is a result and not an error. */
export function execOutcome(result: HookResult): TaskOutcome {
  const output = { ...result.output, 'return-code': result.code ?? -1 };
  if (result.kind !== 'failed' || result.code !== undefined)
    return { status: 'completed', message: '', output };
  return { status: 'failed', message: result.message ?? '', output: { ...result.output } };
}

function actionOutcome(
  result: HookResult,
  action: { results: Record<string, unknown>; failed: boolean; message: string },
): TaskOutcome {
  if (result.kind === 'missing') {
    return { status: 'failed', message: 'action not implemented on unit', output: {} };
  }
  const output = { ...action.results, ...result.output, 'return-code': result.code ?? -1 };
  if (action.failed) return { status: 'failed', message: action.message, output };
  if (result.kind === 'failed')
    return { status: 'failed', message: result.message ?? 'action failed', output };
  return { status: 'completed', message: action.message, output };
}

/** Commits the changes of a task. Returns the error message when that fails. */
async function flush(
  world: UnitWorld,
  task: TaskRecord,
  changes: Parameters<typeof toCommit>[1],
  signal: AbortSignal,
): Promise<string | undefined> {
  const commit = toCommit(stableId('task', task.id), changes, world.mirror);
  if (isEmpty(commit)) return undefined;
  try {
    await world.state.commit(commit, world.state.local, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    return error.message;
  }
}

function eventOf(world: UnitWorld, task: TaskRecord): HookEvent {
  if (task.name === execName) return execEvent(world, task);
  const { id, name, parameters } = task;
  const application = world.mirror.application(world.mirror.unit(world.unit)?.application ?? '');
  const spec = actionSpecOf(application, name);
  return { name: '', action: { id, name, parameters, ...defined({ spec }) } };
}

/** The event for exec, in the context of the named relation, if any. Errors: `not found`. */
function execEvent(world: UnitWorld, { parameters }: TaskRecord): HookEvent {
  const { relation: relationText, 'remote-unit': remoteUnit } = parameters;
  if (typeof relationText !== 'string') return { name: execName };
  const id = Number(relationText.slice(relationText.lastIndexOf(':') + 1));
  const relation = world.state.local.relations[id];
  if (!relation) throw new JujuError('not found', `relation ${JSON.stringify(relationText)} not found`);
  const application = world.mirror.unit(world.unit)?.application;
  const endpoints = world.mirror.relation(id)?.endpoints ?? [];
  const remote = endpoints.find((endpoint) => endpoint.application !== application) ?? endpoints[0];
  return {
    name: execName,
    relation: { id, endpoint: relation.endpoint },
    ...defined({
      remoteUnit: typeof remoteUnit === 'string' ? remoteUnit : undefined,
      remoteApplication: remote?.application,
    }),
  };
}
