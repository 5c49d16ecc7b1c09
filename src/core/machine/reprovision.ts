/** Which machines may get another instance under their own name (machines.md#irreplaceable). */
import type { Entities } from '../kinds.ts';
import type { MachineDoc } from './document.ts';
import type { Refs } from '../impediments.ts';

/** The part of the model that the rule reads. */
type ReprovisionRefs = Refs<Pick<Entities, 'machine' | 'storage'>>;

interface Loss {
  /** Whether the agent is connected. */
  readonly present: boolean;
  /** Whether the instance status is `lost`. */
  readonly lost: boolean;
  /** Whether the operator declares the instance lost, whatever the cloud reports. */
  readonly force: boolean;
}

/** The reason to refuse another instance, as a sentence that says what to do; undefined = accepted. */
export function reprovisionRefusal(
  machine: MachineDoc,
  refs: ReprovisionRefs,
  { present, lost, force }: Loss,
): string | undefined {
  const { id } = machine;
  const obstacle = irreplaceable(machine, refs);
  if (obstacle !== undefined) return `cannot reprovision machine ${id}: ${obstacle}`;
  if (!machine.instance)
    return `cannot reprovision machine ${id}: it has no instance yet (retry-provisioning tries a failed start again)`;
  if (present) return `cannot reprovision machine ${id}: its agent is connected, so its instance is not lost`;
  if (!lost && !force)
    return `cannot reprovision machine ${id}: instance ${machine.instance.id} is not known to be lost (--force stops it, with all that is on its disks)`;
  return undefined;
}

/** The reason why no other instance can replace the machine's own; undefined when one can. */
export function irreplaceable(machine: MachineDoc, refs: ReprovisionRefs): string | undefined {
  const { id, life, parent, isController, instance } = machine;
  if (life !== 'alive') return `it is ${life}`;
  if (isController) return 'it runs the controller';
  if (parent !== undefined) return `it is a container on machine ${parent}`;
  if (instance?.unmanaged) return 'no provider started it';
  const [container] = refs.find('machine', 'parent', id);
  if (container) return `it is hosting container "${container.id}"`;
  for (const { id: storage, detachable } of refs.find('storage', 'machine', id))
    if (detachable) return `it has storage "${storage}" attached`;
  return undefined;
}

/**
 * The status message of a lost instance: what the user can do. It has no whole command lines, which would name the same
 * machine of another model while that is the current one.
 */
export function remedyForLoss(machine: MachineDoc, refs: ReprovisionRefs): string {
  const { isController } = machine;
  const lostText = 'the instance no longer exists in the cloud';
  if (isController) return lostText;
  const giveUp = '"remove-machine --force" removes the machine';
  if (irreplaceable(machine, refs) !== undefined) return `${lostText}: ${giveUp}`;
  return `${lostText}: "reprovision-machine" starts another, ${giveUp}`;
}
