/** How the host's machines come to their addresses: a slot in the model's subnet, a cable to its bridge. */
import type { Address } from '../../../core/machine/document.ts';
import { ProviderError, type OpenParams, type StartParams } from '../../contract/provider.ts';
import { installFirewall, readRules } from './firewall.ts';
import type { Locks } from '../../../kit/locks.ts';
import {
  attach,
  bridgeName,
  detach,
  ensureModelNetwork,
  machineNetwork,
  type MachineNetwork,
} from './network.ts';
import {
  containerHost,
  instanceFolder,
  instanceIdFor,
  modelFolder,
  releaseSlots,
  slotOf,
  takeSlot,
  type InstanceRecord,
  type Place,
} from './record.ts';
import { machineAddress } from './snapshot.ts';
import { gatewayOf, machineCidr, machinesPerModel } from './subnets.ts';

/** What names a machine's network. */
export type Wired = Pick<InstanceRecord, 'machineId'> & Place;

/** Gives machines their network: the host's way is here, that of containers in nested-wiring.ts. */
export interface Wiring {
  /** The names of what a machine has in the kernel; undefined = it uses the network of where it runs. */
  networkOf(machine: Wired): MachineNetwork | undefined;
  /** The place of a new machine, recorded with it before anything is made. Errors: ProviderError. */
  take(id: string, params: StartParams): Promise<Place>;
  /** The place of a machine whose record was lost; undefined when it has none. */
  find(machine: Pick<InstanceRecord, 'id' | 'machineId'>): Promise<Place | undefined>;
  /** Makes all of a machine's network, or what is missing of it. Returns its address with prefix length. */
  connect(record: InstanceRecord, network: MachineNetwork, params: StartParams): Promise<string>;
  disconnect(network: MachineNetwork, machine: Wired): Promise<void>;
  /** Gives back what was taken, also where no record says so. */
  release(id: string): Promise<void>;
}

export interface HostWiringParams {
  readonly open: OpenParams;
  readonly locks: Locks;
}

/** On the controller's host: each machine a slot of its model. */
export function hostWiring(params: HostWiringParams): Wiring {
  const { open } = params;
  const folder = modelFolder(open.stateDir, open.modelUuid);
  return {
    networkOf: (record) =>
      record.slot === undefined ? undefined : machineNetwork(open.modelUuid, record.machineId, record.slot),
    async take(id) {
      const subnet = await ensureSubnet(params);
      const slot = await takeSlot(folder, id, machinesPerModel);
      if (slot === undefined) throw full();
      return { slot, cidr: machineCidr(subnet, slot) };
    },
    async find({ id }) {
      // A container's is its machine's affair.
      const slot = containerHost(id) === undefined ? await slotOf(folder, id) : undefined;
      return slot === undefined ? undefined : { slot };
    },
    async connect(record, network) {
      // The recorded address, unless after a reboot another controller was first to take the subnet.
      const subnet = await ensureSubnet(params);
      const gateway = gatewayOf(subnet);
      const cidr = machineCidr(subnet, record.slot ?? 0);
      await attach(network, { bridge: bridgeName(open.modelUuid), cidr, gateway });
      if (open.firewallMode === 'none') return cidr;
      const rules = await readRules(instanceFolder(open.stateDir, open.modelUuid, record.id));
      await installFirewall(network.netnsPath, { subnet, gateway, rules });
      return cidr;
    },
    disconnect: detach,
    // Its containers went with it.
    release: (id) => releaseSlots(folder, (owner) => owner === id || owner.startsWith(`${id}-`)),
  };
}

/**
 * The address of a container on one of the model's machines: a slot like theirs, which stays its own until released.
 */
export async function takeContainerAddress(params: HostWiringParams, machineId: string): Promise<Address> {
  const { open, locks } = params;
  const folder = modelFolder(open.stateDir, open.modelUuid);
  const owner = instanceIdFor(open.modelUuid, machineId);
  const subnet = await ensureSubnet(params);
  // One at a time for each owner: asked twice at once it would take two.
  return await locks(`${folder} ${owner}`, async () => {
    const slot = (await slotOf(folder, owner)) ?? (await takeSlot(folder, owner, machinesPerModel));
    if (slot === undefined) throw full();
    return machineAddress(machineCidr(subnet, slot));
  });
}

/** Of containers that are gone; repeatable. */
export async function releaseContainerAddresses(
  { open }: HostWiringParams,
  machineIds: readonly string[],
): Promise<void> {
  const folder = modelFolder(open.stateDir, open.modelUuid);
  const owners = new Set(machineIds.map((machineId) => instanceIdFor(open.modelUuid, machineId)));
  await releaseSlots(folder, (owner) => owners.has(owner));
}

function ensureSubnet({ open, locks }: HostWiringParams): Promise<string> {
  const { controllerUuid, modelUuid } = open;
  const folder = modelFolder(open.stateDir, modelUuid);
  return locks(folder, () => ensureModelNetwork(folder, { controllerUuid, modelUuid }));
}

function full(): ProviderError {
  return new ProviderError('quota', `the model has ${machinesPerModel} machines, as many as fit on a bridge`);
}
