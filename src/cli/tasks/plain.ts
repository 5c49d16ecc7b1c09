/** Format `plain` of tasks (operations.md#plain-results). */
import { visible } from '../../kit/visible.ts';
import type { TaskResult } from '../../operate/tasks/results.ts';
import { inColourOf } from '../format/colour.ts';
import { toYaml } from '../format/yaml.ts';
import { idOf, inOrder, receiverOf } from './describe.ts';

/** Results that the agent adds to those of the action. */
const ownKeys = ['return-code', 'stdout', 'stderr', 'stdout-encoding', 'stderr-encoding'];

/** Shows the results of actions: results of a single action as they are, results of several by their receiver. */
export function plainResults(tasks: readonly TaskResult[]): string {
  const [single] = tasks;
  if (single && tasks.length === 1) {
    const failure =
      single.status === 'failed' ? `Action id ${idOf(single)} failed: ${single.message ?? ''}\n` : '';
    return `${failure}${outputOf(single)}\n`;
  }
  return toYaml(
    Object.fromEntries(
      tasks.map((task) => [
        receiverOf(task),
        {
          id: idOf(task),
          message: task.error?.message ?? (task.message || undefined),
          output: outputOf(task),
          status: task.status,
        },
      ]),
    ),
  );
}

/**
 * Shows the results of actions as plainResults, in colour: the line of a single action that failed, and the statuses of
 * several. Control characters that actions wrote are made visible.
 */
export function colouredResults(tasks: readonly TaskResult[]): string {
  const text = visible(plainResults(tasks));
  const [single] = tasks;
  if (tasks.length > 1)
    return text.replace(
      /^  status: ([a-z]+)$/gm,
      (_, status: string) => `  status: ${inColourOf(status, status)}`,
    );
  return single?.status === 'failed' ? text.replace(/^.*/, (line) => inColourOf('failed', line)) : text;
}

/** Shows the output of commands: with several targets, each below its name. */
export function plainOutput(tasks: readonly TaskResult[]): string {
  return tasks
    .map((task) => `${receiverOf(task)}:\n${outputText(task, 'stdout')}${errorsOf(task)}\n`)
    .join('');
}

/** Returns what a command wrote to stderr, and why it failed although it ended: its changes were refused, for instance. */
export function errorsOf(task: TaskResult): string {
  const { status, message, output } = task;
  const isRefused = status === 'failed' && output?.['return-code'] !== undefined && message;
  return `${outputText(task, 'stderr')}${isRefused ? `ERROR ${message}\n` : ''}`;
}

/** Returns the output of a command, with a newline at its end; '' when it wrote nothing. */
export function outputText({ output }: TaskResult, stream: 'stdout' | 'stderr'): string {
  const text = output?.[stream];
  if (typeof text !== 'string' || text === '') return '';
  const encoded = (output?.[`${stream}-encoding`] ?? output?.[`${stream}Encoding`]) === 'base64';
  const decoded = encoded ? Buffer.from(text, 'base64').toString() : text;
  return decoded.endsWith('\n') ? decoded : `${decoded}\n`;
}

function outputOf(task: TaskResult): string {
  const set = Object.entries(task.output ?? {}).filter(([key]) => !ownKeys.includes(key));
  const results = set.length > 0 ? toYaml(inOrder(Object.fromEntries(set))) : '';
  const written = [outputText(task, 'stdout'), outputText(task, 'stderr')].map((text) => text.trim());
  const texts = written.filter((text) => text !== '').map((text) => `${text}\n`);
  if (results === '' && texts.length === 0)
    return `Task ${idOf(task)} ${task.status ?? 'has unknown status'}\n`;
  return `${results}${results !== '' && texts.length > 0 ? '\n' : ''}${texts.join('')}`;
}
