import { JujuError } from '../../../core/errors.ts';
import { checkLimit, cut, limits } from '../../../core/limits.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';
import { enqueuePlanned, planned } from './enqueue-planned.ts';
import type { Receiver } from './receivers.ts';
import { ParameterSeal } from './seal-parameters.ts';
import { defined } from '../../../core/defined.ts';

/** Target that is looked up in its turn, so that its error is reported at its own place. */
export type Target = () => Receiver;

/**
 * Enqueues the same command on each of the targets, each once. Errors: `bad request` (no targets, no command),
 * `not supported` (a command that waits for commands), those of `targetsIn`.
 */
export async function enqueueCommand(
  call: Call,
  params: ParamsOf<typeof spec, 'Run'>,
  targetsIn: (tx: Tx) => readonly Target[],
): Promise<ResultOf<typeof spec, 'Run'>> {
  const { commands, timeout } = params;
  if (commands.trim() === '') throw new JujuError('bad request', 'no commands specified');
  if (/juju-(?:exec|run)/.test(commands))
    throw new JujuError(
      'not supported',
      `cannot use ${JSON.stringify(cut(limits.recordId, commands))} as an action command`,
    );
  // The length is checked once: each receiver's task has the same commands.
  checkLimit(limits.taskParameters, Buffer.byteLength(commands));
  const seal = new ParameterSeal(call);
  const name = 'juju-exec';
  const parameters = { command: commands, ...defined({ timeout: timeout > 0 ? timeout : undefined }) };
  const action = {
    name,
    ...seal.seal(name, parameters),
    ...defined({ parallel: params.parallel, executionGroup: params['execution-group'] }),
  };
  return enqueuePlanned(call, seal, (tx) => {
    const all = targetsIn(tx).map((target) => planned(call, () => ({ ...target(), action })));
    if (all.length === 0) throw new JujuError('bad request', 'no targets specified');
    const names = all.flatMap((one) =>
      'error' in one ? [] : [one.kind === 'machine' ? `machine-${one.name}` : one.name],
    );
    return { summary: `exec run on ${[...new Set(names)].join(',')}`, all: unique(all) };
  });
}

/** Removes repeated receivers; errors stay. */
function unique<T extends Receiver | { error: unknown }>(all: readonly T[]): T[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    if ('error' in one) return true;
    const key = `${one.kind} ${one.name}`;
    return !seen.has(key) && seen.add(key);
  });
}
