import type { UnitDoc } from '../../../core/unit/document.ts';
import { permissionDenied } from '../../../core/errors.ts';
import type { Call } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';

/** Machine id of the calling agent. Errors: `unauthorized access` for anybody else. */
export function ownMachine(call: Call): string {
  if (call.caller.kind !== 'machine') throw permissionDenied();
  return call.caller.machine;
}

/** Unit on the calling agent's machine; others are refused alike, whether or not they exist. */
export function ownUnit(call: Call, view: View, name: string): UnitDoc {
  const machine = ownMachine(call);
  refuseFormer(call, view);
  const unit = view.get('unit', name);
  if (!unit || unit.machine !== machine) throw permissionDenied();
  return unit;
}

/** Refuses an agent whose machine has been given another instance since its login (reprovision-machine). */
export function refuseFormer({ caller }: Call, view: View): void {
  if (caller.kind !== 'machine' || caller.nonce === undefined) return;
  const machine = view.get('machine', caller.machine);
  if (machine && machine.nonce !== caller.nonce) throw permissionDenied();
}
