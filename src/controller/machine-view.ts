import type { MachineDoc } from '../core/machine/document.ts';
import { isImpeded } from '../core/impediments.ts';
import type { MachineView } from '../core/machine/plan-provisioning.ts';
import { hadAgent } from './transactions/instance/renew-machine.ts';
import { statusOf, type View } from './transactions/tx.ts';
import { defined } from '../core/defined.ts';

/** View of the machine for its provisioner: the controller's, or its host's agent. */
export function machineView(view: View, machine: MachineDoc): MachineView {
  const { id, life, nonce, givenUp, instance, keepInstance, isController, createdAt } = machine;
  const { status } = statusOf(view, 'instance', id, createdAt);
  const common = {
    id,
    life,
    keepInstance,
    failed: status === 'provisioning error',
    lost: status === 'lost',
    // The nonce is checked first: without an attempt no agent has come, and a deploy creates many such machines.
    began: nonce !== undefined && !instance && hadAgent(view, machine),
    // Impediments of an alive machine are not needed.
    impeded: life !== 'alive' && isImpeded({ kind: 'machine', id }, view),
  };
  // Machines without a start attempt return early: a deploy creates ten thousand of them.
  if (nonce === undefined && !givenUp && !instance) return common;
  return {
    ...common,
    ...defined({ nonce, givenUp }),
    // This controller neither starts nor stops the instance that it runs on, whoever created that.
    ...(instance && { instanceId: instance.id, unmanaged: isController || instance.unmanaged === true }),
  };
}
