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
  args: {
    readonly machine: string;
    readonly nonce: string;
    readonly result: StartResult;
    /** Whether the cloud has profiles: an instance has no charm's profile until it is assigned. */
    readonly profiled?: boolean;
  },
): boolean {
  const found = tx.get('machine', args.machine);
  if (!found || found.nonce !== args.nonce) return false;
  const { instance, hardware } = args.result;
  const { id, displayName, isolation, addresses, status, base } = instance;
  const { failedZones: _, ...fields } = found;
  // An instance that is started again, as after its host's reboot, keeps its profiles, which are not assigned again.
  const assigned = found.instance?.id === id ? found.instance.profiles : undefined;
  const zone = instance.zone ?? hardware.availabilityZone ?? found.zone;
  const machine: MachineDoc = {
    ...fields,
    instance: {
      id,
      displayName,
      hardware,
      isolation,
      ...defined({ base, profiles: args.profiled ? (assigned ?? []) : undefined }),
    },
    addresses,
    hostname: found.hostname || displayName,
    ...defined({ zone }),
  };
  tx.put('machine', machine.id, machine);
  setStatus(tx, 'instance', machine.id, status, sentence(instance));
  setStatus(tx, 'modification', machine.id, 'applied');
  return true;
}
