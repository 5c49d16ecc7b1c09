import { statusId } from '../../../core/status.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { removeMachine, setMachineDead } from './remove-machine.ts';
import { mustGet, type Tx } from '../tx.ts';

/** Removes a dead machine's record; a kept instance is remembered, so that it is never reported as a stray. */
export function forgetMachine(tx: Tx, id: string, keptInstanceId?: string): void {
  const machine = tx.get('machine', id);
  if (!machine || machine.life !== 'dead') return;
  if (keptInstanceId !== undefined) {
    const root = tx.in('');
    const model = mustGet(root, 'model', tx.space);
    root.put('model', model.uuid, {
      ...model,
      keptInstances: [...(model.keptInstances ?? []), keptInstanceId],
    });
  }
  removeMachine(tx, id);
}

/** Makes a machine dead whose agent will never report, unless a start was recorded since that was decided. */
export function killMachine(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  if (machine?.life !== 'dying' || isImpeded({ kind: 'machine', id }, tx)) return;
  const isLost = tx.get('status', statusId('instance', id))?.status === 'lost';
  if (!machine.instance || isLost) setMachineDead(tx, id);
}
