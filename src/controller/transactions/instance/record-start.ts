import type { MachineDoc } from '../../../core/machine/document.ts';
import { sentence } from '../../../core/machine/plan-poll.ts';
import type { StartResult } from '../../../providers/contract/provider.ts';
import { setStatus, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Records a successful start. Returns false when the record was removed or has another nonce: the instance then belongs
 * to no machine.
 */
export function recordStart(
  tx: Tx,
  args: { readonly machine: string; readonly nonce: string; readonly result: StartResult },
): boolean {
  const found = tx.get('machine', args.machine);
  if (!found || found.nonce !== args.nonce) return false;
  const { instance, hardware } = args.result;
  const { id, displayName, isolation, addresses, status, base } = instance;
  const { failedZones: _, ...fields } = found;
  const zone = instance.zone ?? hardware.availabilityZone ?? found.zone;
  const machine: MachineDoc = {
    ...fields,
    instance: { id, displayName, hardware, isolation, ...defined({ base }) },
    addresses,
    hostname: found.hostname || displayName,
    ...defined({ zone }),
  };
  tx.put('machine', machine.id, machine);
  setStatus(tx, 'instance', machine.id, status, sentence(instance));
  setStatus(tx, 'modification', machine.id, 'applied');
  return true;
}
