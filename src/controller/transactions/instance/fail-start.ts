import type { MachineDoc } from '../../../core/machine/document.ts';
import { isImpeded } from '../../../core/impediments.ts';
import type { StartFailure } from '../../../provisioning/records.ts';
import { endMachine } from '../end/remove-machine.ts';
import { setStatus, statusOf, type Tx } from '../tx.ts';

/**
 * The start failed: what comes next is in the statuses, and what the next attempt has to know in the record. When
 * surely no instance was made, the record forgets the nonce: then the machine was never started, and its removal asks
 * no provider.
 */
export function failStart(tx: Tx, args: { readonly machine: string; readonly failure: StartFailure }): void {
  const machine = tx.get('machine', args.machine);
  if (!machine) return;
  const { failure } = args;
  tell(tx, machine, failure);
  // One that had crashed: what it has is as it was.
  if (machine.instance) return;
  const left = withoutAttempt(machine, failure);
  tx.put('machine', machine.id, left);
  if (left.nonce === undefined && left.life !== 'alive' && !isImpeded({ kind: 'machine', id: left.id }, tx))
    endMachine(tx, left);
}

function tell(
  tx: Tx,
  { id, instance, parent, createdAt }: MachineDoc,
  { message, attempt, next, at = '' }: StartFailure,
): void {
  switch (next.kind) {
    case 'again':
      return setStatus(tx, 'instance', id, 'allocating', `${message}; trying another zone`);
    case 'later': {
      const text = `attempt ${attempt} failed, next at ${at.slice(11, 19)}Z: ${message}`;
      return setStatus(tx, 'instance', id, 'allocating', text, { next: at });
    }
    case 'suspended':
      // Why is said of the model, once for all that wait; of what its hosts' agents make, the model does not know.
      if (parent !== undefined) return setStatus(tx, 'instance', id, 'allocating', `waits: ${message}`);
      // As whoever looks at the instance says it.
      if (instance) return setStatus(tx, 'instance', id, 'stopped', 'Stopped');
      return setStatus(tx, 'instance', id, 'pending');
    case 'never':
      setStatus(tx, 'instance', id, 'provisioning error', message);
      // Its agent has come, when only the answer of an earlier attempt was lost, and will not say so again.
      if (statusOf(tx, 'machine-agent', id, createdAt).status !== 'started')
        setStatus(tx, 'machine-agent', id, 'error', message);
  }
}

function withoutAttempt(machine: MachineDoc, failure: StartFailure): MachineDoc {
  const { nonce, passwordHash, ownPassword, zone, failedZones, ...rest } = machine;
  const { next } = failure;
  const failed = next.kind === 'again' || next.kind === 'later' ? next.failedZones : failedZones;
  return {
    ...rest,
    ...(failure.leftNothing || nonce === undefined ? {} : { nonce }),
    ...(failure.leftNothing || passwordHash === undefined ? {} : { passwordHash }),
    ...(ownPassword ? { ownPassword } : {}),
    // An instance may be there, when only the answer was lost.
    ...(failure.leftNothing || zone === undefined ? {} : { zone }),
    ...(failed === undefined || failed.length === 0 ? {} : { failedZones: failed }),
  };
}
