import { statusId } from '../../../core/status.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { removeMachine, setMachineDead } from './remove-machine.ts';
import { mustGet, type Tx } from '../tx.ts';

/** A dead machine's record goes; an instance that is kept is remembered, so that it is nobody's stray. */
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

/** Dead: no agent will ever report for it. Not when a start was recorded since that was decided. */
export function killMachine(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  if (machine?.life !== 'dying' || isImpeded({ kind: 'machine', id }, tx)) return;
  const isLost = tx.get('status', statusId('instance', id))?.status === 'lost';
  if (!machine.instance || isLost) setMachineDead(tx, id);
}
