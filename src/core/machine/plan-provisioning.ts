import type { Life } from '../life.ts';

/** A machine's record, as far as its instance is concerned. */
export interface MachineView {
  readonly id: string;
  readonly life: Life;
  /** Made durable before the cloud is called: ties an instance to this record. */
  readonly nonce?: string;
  /** The recorded instance. */
  readonly instanceId?: string;
  /** The instance is not ours to start or stop: the controller's host, a manual machine. */
  readonly unmanaged?: boolean;
  readonly keepInstance?: boolean;
  /** A start failed for good; it waits for retry-provisioning. */
  readonly failed?: boolean;
  /** The recorded instance is gone from the cloud: nothing is done until somebody has it replaced. */
  readonly lost?: boolean;
  /** Something still refers to it (machineImpediments), so that it cannot be dead yet. */
  readonly impeded?: boolean;
  /** Its agent has come, though no instance is recorded: only the answer of its start was lost. */
  readonly began?: boolean;
  /** Its agent seems to have a connection; needs to be known with `began` only. */
  readonly present?: boolean;
}

/** What the cloud lists for this model. */
export interface InstanceView {
  readonly id: string;
  /** The machine that its tag names; absent or '' on instances that no machine of ours was started as. */
  readonly machineId?: string;
  /** The nonce that its tag names. */
  readonly nonce?: string;
  /** It is there but does not run: its host crashed, or somebody stopped it. */
  readonly stopped?: boolean;
}

/** The model setting provisioner-harvest-mode: which instances are stopped (machines.md#harvest-mode). */
export type HarvestMode = 'none' | 'unknown' | 'destroyed' | 'all';

export type ProvisioningStep =
  | { readonly kind: 'start'; readonly machineId: string }
  /** Record the instance that a start before a crash made. */
  | { readonly kind: 'adopt'; readonly machineId: string; readonly instanceId: string }
  /** Start the recorded instance again: it has crashed. */
  | { readonly kind: 'restart'; readonly machineId: string }
  | { readonly kind: 'stop'; readonly machineId: string; readonly instanceId: string }
  /** Remove the record of a dead machine: nothing of it is left to stop, save what is to be kept. */
  | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
  /** Make a dying machine dead that no agent will ever report for. */
  | { readonly kind: 'kill'; readonly machineId: string }
  /** What its agent came on is gone again: another instance must not go on with what was on that one's disks. */
  | { readonly kind: 'renew'; readonly machineId: string };

/**
 * Compares the machines that we want with the instances that the cloud says exist, and returns what to do; stops come
 * before starts, so that quota is free. An instance from just before a crash has no recorded id: it is found by its
 * nonce and adopted rather than started twice. A dead machine's record stays until its instance is no longer listed, so
 * no crash orphans it, unless the mode says that it stays. A recorded instance that has stopped is started again. An
 * instance of an attempt that was given up is stopped, one without a record is the harvester's.
 *
 * `busy` are machines with a start or stop under way: they and their instances are left alone.
 */
export function planProvisioning({
  machines,
  instances,
  harvest = 'destroyed',
  busy = new Set(),
}: {
  /** Those that this provisioner is responsible for. */
  readonly machines: readonly MachineView[];
  readonly instances: readonly InstanceView[];
  readonly harvest?: HarvestMode;
  readonly busy?: ReadonlySet<string>;
}): ProvisioningStep[] {
  const stops: ProvisioningStep[] = [];
  const others: ProvisioningStep[] = [];
  const instancesOf = Map.groupBy(instances, ({ machineId }) => machineId);
  for (const machine of machines) {
    if (busy.has(machine.id)) continue;
    const listed = instancesOf.get(machine.id) ?? [];
    const own = ownInstance(machine, listed);
    const stays = staysWhenReleased(machine, harvest);
    const unwanted = listed.filter(({ id }) => isUnwanted(machine, { isOwn: id === own, stays, harvest }));
    for (const { id } of unwanted) stops.push({ kind: 'stop', instanceId: id, machineId: machine.id });
    const step = stepFor(machine, { listed, own, hasUnwanted: unwanted.length > 0 });
    if (step) others.push(step);
  }
  return [...stops, ...others];
}

function ownInstance(machine: MachineView, listed: readonly InstanceView[]): string | undefined {
  if (machine.instanceId !== undefined) return machine.instanceId;
  return listed.find(({ nonce }) => nonce !== undefined && nonce === machine.nonce)?.id;
}

/** Its own instance is left running when the record goes. */
function staysWhenReleased(machine: MachineView, harvest: HarvestMode): boolean {
  if (machine.keepInstance || machine.unmanaged) return true;
  return harvest !== 'destroyed' && harvest !== 'all';
}

function isUnwanted(
  machine: MachineView,
  { isOwn, stays, harvest }: { isOwn: boolean; stays: boolean; harvest: HarvestMode },
): boolean {
  // Of an attempt that was given up, or its double.
  if (!isOwn) return harvest !== 'none';
  return !stays && (machine.life === 'dead' || isGivenUp(machine));
}

/** It never had an agent, and nothing waits for one. */
function isGivenUp({ life, instanceId, impeded }: MachineView): boolean {
  return life === 'dying' && instanceId === undefined && !impeded;
}

function stepFor(
  machine: MachineView,
  found: { listed: readonly InstanceView[]; own: string | undefined; hasUnwanted: boolean },
): ProvisioningStep | undefined {
  const machineId = machine.id;
  const { own, listed, hasUnwanted } = found;
  const isRecorded = machine.instanceId !== undefined;
  switch (machine.life) {
    case 'alive':
      if (isRecorded) return restart(machine, listed);
      if (own !== undefined) return { kind: 'adopt', machineId, instanceId: own };
      // A connection may outlive its instance for a while, and a cloud's list may be older than both.
      if (machine.began) return machine.present ? undefined : { kind: 'renew', machineId };
      return machine.failed ? undefined : { kind: 'start', machineId };
    case 'dying':
      if (isGivenUp(machine)) return { kind: 'kill', machineId };
      // Its agent has yet to end what is on it, if it still has one.
      if (isRecorded)
        return machine.lost && !machine.impeded ? { kind: 'kill', machineId } : restart(machine, listed);
      // Its units wait for an agent: the instance that a crash left may still bring one.
      return own === undefined ? undefined : { kind: 'adopt', machineId, instanceId: own };
    case 'dead': {
      if (hasUnwanted) return undefined;
      // Whether it was recorded or not: a crash may have come between its start and that.
      const isKept = machine.keepInstance && !machine.unmanaged && listed.length > 0;
      return { kind: 'forget', machineId, ...(isKept && own !== undefined ? { keptInstanceId: own } : {}) };
    }
  }
}

function restart(machine: MachineView, listed: readonly InstanceView[]): ProvisioningStep | undefined {
  const stopped = listed.some(({ id, stopped: is }) => id === machine.instanceId && is);
  return stopped && !machine.unmanaged && !machine.failed
    ? { kind: 'restart', machineId: machine.id }
    : undefined;
}
