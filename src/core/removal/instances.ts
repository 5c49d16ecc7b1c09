/** Which instances outlive their machines' records, and why. */
import type { MachineDoc } from '../machine/document.ts';
import type { HarvestMode } from '../machine/plan-provisioning.ts';
import type { Keep } from './plan.ts';
import type { Lives } from './with-dying.ts';

interface Circumstances {
  /** The stored record of a container's host. */
  readonly host: MachineDoc | undefined;
  readonly dying: Lives;
  /** Machines that do not go when they are empty. */
  readonly staying: ReadonlySet<string>;
  /** Machines that are removed with --keep-instance. */
  readonly keepInstance: ReadonlySet<string>;
  /** The model's provisioner-harvest-mode; absent: `destroyed`. */
  readonly harvest: HarvestMode | undefined;
}

/** The reason why a removed machine's instance keeps running; undefined when it is released. */
export function whyInstanceStays(machine: MachineDoc, now: Circumstances): Keep | undefined {
  if (machine.instance?.unmanaged) return 'unmanaged';
  // Everything that the provider made for a model goes with it, and a container with its host's instance.
  if (now.dying.model.size > 0 || hostIsReleased(now)) return undefined;
  if (isKept(machine, now)) return 'keep-instance';
  return now.harvest === 'none' ? 'harvest' : undefined;
}

function hostIsReleased(now: Circumstances): boolean {
  const { host, dying, staying, harvest } = now;
  if (!host || host.instance?.unmanaged) return false;
  const isHostRemoved = host.life !== 'alive' || (dying.machine.has(host.id) && !staying.has(host.id));
  return isHostRemoved && !isKept(host, now) && harvest !== 'none';
}

function isKept({ id, keepInstance }: MachineDoc, now: Circumstances): boolean {
  return keepInstance || now.keepInstance.has(id);
}
