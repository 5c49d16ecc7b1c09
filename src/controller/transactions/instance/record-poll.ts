import type { MachineDoc } from '../../../core/machine/document.ts';
import {
  isPolled,
  planPoll,
  type LastLook,
  type PolledMachine,
  type PollPlan,
  type ProvisionedMachine,
  type Sight,
} from '../../../core/machine/plan-poll.ts';
import { irreplaceable, remedyForLoss } from '../../../core/machine/reprovision.ts';
import { mergedModelConfig } from '../../../core/model/config.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { isHeld } from '../../../core/model/restored.ts';
import { putAddresses } from '../agent/put-addresses.ts';
import { reprovisionMachine } from './reprovision-machine.ts';
import { setStatus, statusOf, type Tx, type View } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/** Result of one look at a machine's instance. */
export interface Look {
  readonly machine: string;
  readonly instanceId: string;
  /** State of the instance in the cloud; undefined when the cloud has no such instance. */
  readonly sight: Sight | undefined;
  readonly last: LastLook;
  /** True when the machine's agent is connected. */
  readonly present: boolean;
}

/**
 * Writes the results of looks at instances: status, addresses, zone. A lost instance is replaced where the model says
 * so. Returns the machines whose instances are replaced.
 */
export function recordPoll(tx: Tx, looks: readonly Look[], now: number): string[] {
  const replaces = isReplacing(tx);
  return looks.filter((look) => record(tx, look, { replaces, now })).map(({ machine }) => machine);
}

/** Plans the changes for one look. Undefined when the machine has another instance by now, or none. */
export function planLook(
  view: View,
  { machine: id, instanceId, sight, last, present }: Look,
  { replaces, now }: { readonly replaces: boolean; readonly now: number },
): PollPlan | undefined {
  const machine = view.get('machine', id);
  if (!machine || !isPolled(machine) || machine.instance.id !== instanceId) return undefined;
  return planPoll(polledMachine(view, machine, present), sight, { last, replaces, now });
}

/** True when the model of the view has lost machines replaced. */
export function isReplacing(view: View): boolean {
  return lossPolicy(view.in('').get('model', view.space)) === 'replace';
}

/** Value of the model's `lost-machines` in force. */
export function lossPolicy(model: ModelDoc | undefined): unknown {
  // The instances of a restored model may have been stopped on purpose after the backup.
  if (isHeld(model)) return 'report';
  return mergedModelConfig(model?.config ?? {})['lost-machines'];
}

/** Writes one look; true when another instance takes the place of the lost one. */
function record(tx: Tx, look: Look, policy: { readonly replaces: boolean; readonly now: number }): boolean {
  const plan = planLook(tx, look, policy);
  const machine = tx.get('machine', look.machine);
  if (!plan || !machine?.instance) return false;
  const { status, addresses, zone, replace } = plan;
  if (status) setStatus(tx, 'instance', machine.id, status.status, status.message);
  if (replace) reprovisionMachine(tx, { machine: machine.id, present: false, force: false });
  else if (addresses || zone !== undefined)
    putAddresses(tx, {
      ...machine,
      ...defined({ addresses }),
      ...(zone === undefined ? {} : { zone, instance: inZone(machine.instance, zone) }),
    });
  return replace;
}

function polledMachine(view: View, machine: ProvisionedMachine, present: boolean): PolledMachine {
  const { id, createdAt, addresses, instance } = machine;
  const zone = instance.hardware.availabilityZone;
  return {
    instanceStatus: statusOf(view, 'instance', id, createdAt),
    started: statusOf(view, 'machine-agent', id, createdAt).status === 'started',
    present,
    addresses,
    ...defined({ zone }),
    remedy: remedyForLoss(machine, view),
    replaceable: irreplaceable(machine, view) === undefined,
  };
}

type Instance = NonNullable<MachineDoc['instance']>;

function inZone(instance: Instance, availabilityZone: string): Instance {
  return { ...instance, hardware: { ...instance.hardware, availabilityZone } };
}
