import { readHostKeys } from './agent-started.ts';
import type { Tx } from '../tx.ts';

/**
 * Records the host keys of machine 0, which has no agent, when the controller has started
 * (logging-in.md#reported-host-keys). Nothing is written when the keys are unchanged. Errors: `quota limit exceeded`.
 */
export function controllerStarted(tx: Tx, reported: readonly string[]): void {
  const space = tx.in(tx.get('controller', 'self')?.modelUuid ?? '');
  const machine = space.get('machine', '0');
  if (!machine?.isController) return;
  space.put('machine', '0', { ...machine, hostKeys: readHostKeys(reported) });
}
