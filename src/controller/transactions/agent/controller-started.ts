import { readHostKeys } from './agent-started.ts';
import { shortBuild } from '../../../core/machine/program.ts';
import { settleHosts } from '../begin/enlist-machine.ts';
import { setStatus, type Tx } from '../tx.ts';

/**
 * Records the host keys of machine 0, which has no agent, when the controller has started
 * (logging-in.md#reported-host-keys), and says in its status which program of the controller did not come up. Nothing
 * is written when both are unchanged. Records of hosts that an earlier release has left wrong are made right. Errors:
 * `quota limit exceeded`.
 */
export function controllerStarted(
  tx: Tx,
  reported: readonly string[],
  failed?: { readonly build: string; readonly message: string },
): void {
  settleHosts(tx);
  const space = tx.in(tx.get('controller', 'self')?.modelUuid ?? '');
  const machine = space.get('machine', '0');
  if (!machine?.isController) return;
  space.put('machine', '0', { ...machine, hostKeys: readHostKeys(reported) });
  noteFailedProgram(tx, failed);
}

/** Says in the status of machine 0 which program of the controller did not come up; undefined = none. */
export function noteFailedProgram(
  tx: Tx,
  failed: { readonly build: string; readonly message: string } | undefined,
): void {
  const space = tx.in(tx.get('controller', 'self')?.modelUuid ?? '');
  if (!space.get('machine', '0')?.isController) return;
  const words = failed
    ? `the controller went back from program ${shortBuild(failed.build)}, which did not come up: ${failed.message}`
    : '';
  setStatus(space, 'machine-agent', '0', 'started', words);
}
