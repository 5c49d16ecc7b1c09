import type { Life } from '../life.ts';
import { defined } from '../defined.ts';

/** A machine's record, as far as its instance is concerned. */
export interface MachineView {
  readonly id: string;
  readonly life: Life;
  /** The nonce made durable before the cloud is called; ties an instance to this record. */
  readonly nonce?: string;
  /** Nonces of attempts that were given up. */
  readonly givenUp?: readonly string[];
  /** The recorded instance. */
  readonly instanceId?: string;
  /** Whether the instance is not the provider's to start or stop: the controller's host, a manual machine. */
  readonly unmanaged?: boolean;
  readonly keepInstance?: boolean;
  /** Whether a start failed permanently, so that the machine waits for retry-provisioning. */
  readonly failed?: boolean;
  /** Whether the recorded instance is gone from the cloud; nothing is done until the user has it replaced. */
  readonly lost?: boolean;
  /** Whether a unit or container still refers to the machine (machineImpediments), so that it cannot be dead yet. */
  readonly impeded?: boolean;
  /** Whether the agent has connected though no instance is recorded: only the answer to the start was lost. */
  readonly began?: boolean;
  /** Whether the agent seems to be connected; needed with `began` only. */
  readonly present?: boolean;
}

/** An instance that the cloud lists for this model. */
export interface InstanceView {
  readonly id: string;
  /**
   * The machine named by the instance's tag; absent or '' on instances that were not started as a machine of this
   * model.
   */
  readonly machineId?: string;
  /** The nonce named by the instance's tag. */
  readonly nonce?: string;
  /** Whether the instance exists but does not run: its host crashed, or it was stopped. */
  readonly stopped?: boolean;
}

/** The model setting provisioner-harvest-mode: which instances are stopped (machines.md#harvest-mode). */
export type HarvestMode = 'none' | 'unknown' | 'destroyed' | 'all';

export type ProvisioningStep =
  | { readonly kind: 'start'; readonly machineId: string }
  /** Record the instance that a start before a crash made. */
  | { readonly kind: 'adopt'; readonly machineId: string; readonly instanceId: string }
  /** Start the recorded instance again after it has crashed. */
  | { readonly kind: 'restart'; readonly machineId: string }
  | { readonly kind: 'stop'; readonly machineId: string; readonly instanceId: string }
  /** Remove the record of a dead machine: nothing of it is left to stop, save an instance that is to be kept. */
  | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
  /** Make a dying machine dead for which no agent will ever report the end. */
  | { readonly kind: 'kill'; readonly machineId: string }
  /**
   * Give the machine a new nonce: the instance that its agent connected from is gone, and another one must not continue
   * with state that was on its disks.
   */
  | { readonly kind: 'renew'; readonly machineId: string };

/**
 * Compares the wanted machines with the instances that the cloud lists, and returns what to do; stops come before
 * starts, so that quota is free. An instance from just before a crash has no recorded id: it is found by its nonce and
 * adopted rather than started twice. A dead machine's record stays until its instance is no longer listed, so no crash
 * orphans it, unless the mode says that the instance stays. A recorded instance that has stopped is started again. An
 * instance of an abandoned attempt is stopped; one without a record is left to the harvester. `busy` are machines with
 * a start or stop under way: they and their instances are left alone.
 */
export function planProvisioning({
  machines,
  instances,
  harvest = 'destroyed',
  othersStay = false,
  busy = new Set(),
}: {
  /** The machines that this provisioner is responsible for. */
  readonly machines: readonly MachineView[];
  readonly instances: readonly InstanceView[];
  readonly harvest?: HarvestMode;
  /** Whether instances stay whose nonces their machine's record never had: they may be newer than the record. */
  readonly othersStay?: boolean;
  readonly busy?: ReadonlySet<string>;
}): ProvisioningStep[] {
  const stops: ProvisioningStep[] = [];
  const otherSteps: ProvisioningStep[] = [];
  const instancesOf = Map.groupBy(instances, ({ machineId }) => machineId);
  for (const machine of machines) {
    if (busy.has(machine.id)) continue;
    const listed = instancesOf.get(machine.id) ?? [];
    const ownId = ownInstance(machine, listed);
    const stays = staysWhenReleased(machine, harvest);
    const otherGoes = (nonce = ''): boolean =>
      harvest !== 'none' && (!othersStay || (machine.givenUp ?? []).includes(nonce));
    const unwanted = listed.filter(({ id, nonce }) =>
      id === ownId ? goes(machine, stays) : otherGoes(nonce),
    );
    for (const { id } of unwanted) stops.push({ kind: 'stop', instanceId: id, machineId: machine.id });
    const step = stepFor(machine, { listed, ownId, hasUnwanted: unwanted.length > 0 });
    if (step) otherSteps.push(step);
  }
  return [...stops, ...otherSteps];
}

function ownInstance(machine: MachineView, listed: readonly InstanceView[]): string | undefined {
  if (machine.instanceId !== undefined) return machine.instanceId;
  return listed.find(({ nonce }) => nonce !== undefined && nonce === machine.nonce)?.id;
}

/** Whether the machine's own instance is left running when the record is removed. */
function staysWhenReleased(machine: MachineView, harvest: HarvestMode): boolean {
  if (machine.keepInstance || machine.unmanaged) return true;
  return harvest !== 'destroyed' && harvest !== 'all';
}

/** Whether the machine's own instance is stopped. All others belong to abandoned attempts, or are duplicates. */
function goes(machine: MachineView, stays: boolean): boolean {
  return !stays && (machine.life === 'dead' || isAbandoned(machine));
}

/** Whether the machine is dying, never had an agent, and nothing waits for one. */
function isAbandoned({ life, instanceId, impeded }: MachineView): boolean {
  return life === 'dying' && instanceId === undefined && !impeded;
}

function stepFor(
  machine: MachineView,
  found: { listed: readonly InstanceView[]; ownId: string | undefined; hasUnwanted: boolean },
): ProvisioningStep | undefined {
  const machineId = machine.id;
  const { ownId, listed, hasUnwanted } = found;
  const isRecorded = machine.instanceId !== undefined;
  switch (machine.life) {
    case 'alive':
      if (isRecorded) return restart(machine, listed);
      if (ownId !== undefined) return { kind: 'adopt', machineId, instanceId: ownId };
      // A connection may outlive its instance for a while, and a cloud's list may be older than both.
      if (machine.began) return machine.present ? undefined : { kind: 'renew', machineId };
      return machine.failed ? undefined : { kind: 'start', machineId };
    case 'dying':
      if (isAbandoned(machine)) return { kind: 'kill', machineId };
      // The agent, if there still is one, has yet to stop what runs on the machine.
      if (isRecorded)
        return machine.lost && !machine.impeded ? { kind: 'kill', machineId } : restart(machine, listed);
      // The machine's units wait for an agent, which the instance that a crash left may still bring.
      return ownId === undefined ? undefined : { kind: 'adopt', machineId, instanceId: ownId };
    case 'dead': {
      if (hasUnwanted) return undefined;
      // The instance is kept whether it was recorded or not: a crash may have come between its start and the record.
      const isKept = machine.keepInstance && !machine.unmanaged && listed.length > 0;
      return { kind: 'forget', machineId, ...defined({ keptInstanceId: isKept ? ownId : undefined }) };
    }
  }
}

function restart(machine: MachineView, listed: readonly InstanceView[]): ProvisioningStep | undefined {
  const isStopped = listed.some(({ id, stopped: is }) => id === machine.instanceId && is);
  return isStopped && !machine.unmanaged && !machine.failed
    ? { kind: 'restart', machineId: machine.id }
    : undefined;
}
