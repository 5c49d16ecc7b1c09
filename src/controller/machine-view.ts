import type { MachineDoc } from '../core/machine/document.ts';
import { isImpeded } from '../core/impediments.ts';
import type { MachineView } from '../core/machine/plan-provisioning.ts';
import { hasBegun } from './transactions/instance/renew-machine.ts';
import { statusOf, type View } from './transactions/tx.ts';

/** As its provisioner sees it: the controller's, or its host's agent. */
export function machineView(view: View, machine: MachineDoc): MachineView {
  const { id, life, nonce, instance, keepInstance, isController, createdAt } = machine;
  const { status } = statusOf(view, 'instance', id, createdAt);
  return {
    id,
    life,
    ...(nonce === undefined ? {} : { nonce }),
    // What runs this controller is neither started nor stopped by it, whoever made it.
    ...(instance ? { instanceId: instance.id, unmanaged: isController || instance.unmanaged === true } : {}),
    keepInstance,
    failed: status === 'provisioning error',
    lost: status === 'lost',
    // Without an attempt no agent has come; a deploy makes many of those.
    began: nonce !== undefined && !instance && hasBegun(view, machine),
    // Of an alive one it would not be asked.
    impeded: life !== 'alive' && isImpeded({ kind: 'machine', id }, view),
  };
}
