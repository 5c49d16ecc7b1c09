import type { MachineDoc } from '../../../core/machine/document.ts';
import { waitsToRetry } from '../../../core/retry.ts';
import { isImpeded } from '../../../core/impediments.ts';
import type { StartFailure } from '../../../provisioning/records.ts';
import { endMachine } from '../end/remove-machine.ts';
import { setStatus, statusOf, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Records a failed start: the next step in the statuses, and what the next attempt needs in the record. When certainly
 * no instance was created, the nonce is deleted: the machine then counts as never started, and its removal calls no
 * provider.
 */
export function failStart(tx: Tx, args: { readonly machine: string; readonly failure: StartFailure }): void {
  const machine = tx.get('machine', args.machine);
  if (!machine) return;
  const { failure } = args;
  setStatuses(tx, machine, failure);
  // A machine that crashed and has an instance keeps its state.
  if (machine.instance) return;
  const reset = withoutAttempt(machine, failure);
  tx.put('machine', machine.id, reset);
  if (
    reset.nonce === undefined &&
    reset.life !== 'alive' &&
    !isImpeded({ kind: 'machine', id: reset.id }, tx)
  )
    endMachine(tx, reset);
}

function setStatuses(
  tx: Tx,
  { id, instance, parent, createdAt }: MachineDoc,
  { message, attempt, next, at = '' }: StartFailure,
): void {
  // The instance was seen running since the cloud was asked to start it again: only the answer failed.
  if (instance && statusOf(tx, 'instance', id, createdAt).status === 'running') return;
  switch (next.kind) {
    case 'again':
      return setStatus(tx, 'instance', id, 'allocating', `${message}; trying another zone`);
    case 'later': {
      const text = waitsToRetry({ attempt, at }, message);
      return setStatus(tx, 'instance', id, 'allocating', text, { next: at });
    }
    case 'suspended':
      // The reason is shown once on the model, for all machines that wait; the model does not know the reasons of
      // starts by hosts' agents.
      if (parent !== undefined) return setStatus(tx, 'instance', id, 'allocating', `waits: ${message}`);
      // The status is the one that the instance poller writes.
      if (instance) return setStatus(tx, 'instance', id, 'stopped', 'Stopped');
      return setStatus(tx, 'instance', id, 'pending');
    case 'never':
      setStatus(tx, 'instance', id, 'provisioning error', message);
      // The agent is running when only the answer of an earlier attempt was lost, and will not report its start again.
      if (statusOf(tx, 'machine-agent', id, createdAt).status !== 'started')
        setStatus(tx, 'machine-agent', id, 'error', message);
  }
}

function withoutAttempt(machine: MachineDoc, failure: StartFailure): MachineDoc {
  const { nonce, passwordHash, ownPassword, zone, failedZones, ...fields } = machine;
  const { next } = failure;
  const zones = next.kind === 'again' || next.kind === 'later' ? next.failedZones : failedZones;
  return {
    ...fields,
    ...defined({ nonce: failure.leftNothing || nonce === undefined ? undefined : nonce }),
    ...(failure.leftNothing || passwordHash === undefined ? {} : { passwordHash }),
    ...defined({ ownPassword, zone: failure.leftNothing || zone === undefined ? undefined : zone }),
    ...(zones === undefined || zones.length === 0 ? {} : { failedZones: zones }),
  };
}
