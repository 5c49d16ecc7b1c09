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
  /** A container: its host's agent sees to it. */
  readonly parent?: string;
  /** Something still refers to it (machineImpediments), so that it cannot be dead yet. */
  readonly impeded?: boolean;
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

export type ProvisioningStep =
  | { readonly kind: 'start'; readonly machineId: string }
  /** Record the instance that a start before a crash made. */
  | { readonly kind: 'adopt'; readonly machineId: string; readonly instanceId: string }
  /** Start the recorded instance again: it has crashed. */
  | { readonly kind: 'restart'; readonly machineId: string }
  | { readonly kind: 'stop'; readonly instanceId: string; readonly machineId?: string }
  /** Remove the record of a dead machine: nothing of it is left to stop, save what is to be kept. */
  | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
  /** Make a dying machine dead that no agent will ever report for. */
  | { readonly kind: 'kill'; readonly machineId: string };

/**
 * Compares the machines that we want with the instances that the cloud says exist, and returns what to do; stops come
 * before starts, so that quota is free. An instance from just before a crash has no recorded id: it is found by its nonce
 * and adopted rather than started twice. A dead machine's record stays until its instance is no longer listed, so no
 * crash orphans it. A recorded instance that has stopped is started again. An instance whose record is gone, or belongs to an earlier attempt, is stopped.
 *
 * `busy` are machines with a start or stop under way: they and their instances are left alone. `kept` are instances
 * whose records were removed with --keep-instance.
 */
export function planProvisioning({
  machines,
  instances,
  busy = new Set(),
  kept = new Set(),
}: {
  readonly machines: readonly MachineView[];
  readonly instances: readonly InstanceView[];
  readonly busy?: ReadonlySet<string>;
  readonly kept?: ReadonlySet<string>;
}): ProvisioningStep[] {
  const stops: ProvisioningStep[] = [];
  const others: ProvisioningStep[] = [];
  const byId = new Map(machines.map((machine) => [machine.id, machine]));
  const instancesOf = Map.groupBy(instances, ({ machineId }) => machineId);
  for (const [machineId, listed] of instancesOf) {
    if (!machineId || busy.has(machineId)) continue;
    const wanted = wantedInstance(byId.get(machineId), listed);
    for (const { id } of listed)
      if (id !== wanted && !kept.has(id)) stops.push({ kind: 'stop', instanceId: id, machineId });
  }
  for (const machine of machines) {
    if (machine.parent !== undefined || busy.has(machine.id)) continue;
    const step = stepFor(machine, instancesOf.get(machine.id) ?? []);
    if (step) others.push(step);
  }
  return [...stops, ...others];
}

/** The one of a machine's instances that stays, if any. */
function wantedInstance(
  machine: MachineView | undefined,
  listed: readonly InstanceView[],
): string | undefined {
  if (!machine) return undefined;
  const own = ownInstance(machine, listed);
  if (machine.life === 'dead') return machine.keepInstance || machine.unmanaged ? own : undefined;
  const neverRecorded = machine.life === 'dying' && machine.instanceId === undefined && !machine.impeded;
  return neverRecorded && !machine.keepInstance ? undefined : own;
}

function ownInstance(machine: MachineView, listed: readonly InstanceView[]): string | undefined {
  if (machine.instanceId !== undefined) return machine.instanceId;
  return listed.find(({ nonce }) => nonce !== undefined && nonce === machine.nonce)?.id;
}

function stepFor(machine: MachineView, listed: readonly InstanceView[]): ProvisioningStep | undefined {
  const machineId = machine.id;
  const own = ownInstance(machine, listed);
  switch (machine.life) {
    case 'alive':
      if (machine.instanceId !== undefined) return restart(machine, listed);
      if (own !== undefined) return { kind: 'adopt', machineId, instanceId: own };
      return machine.failed ? undefined : { kind: 'start', machineId };
    case 'dying':
      // Its agent has yet to end what is on it.
      if (machine.instanceId !== undefined) return restart(machine, listed);
      // Its units wait for an agent: the instance that a crash left may still bring one.
      if (machine.impeded)
        return own === undefined ? undefined : { kind: 'adopt', machineId, instanceId: own };
      return { kind: 'kill', machineId };
    case 'dead': {
      const leaves = machine.keepInstance || machine.unmanaged;
      if (listed.some(({ id }) => !(leaves && id === own))) return undefined;
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
