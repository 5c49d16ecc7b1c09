/** Network addresses of the host's machines: a slot in the model's subnet and a virtual cable to its bridge. */
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

/** Members of a record that determine a machine's network. */
export type Wired = Pick<InstanceRecord, 'machineId'> & Place;

/** Manages the network of machines: hostWiring for the host's, nested-wiring.ts for that of containers. */
export interface Wiring {
  /** Names of a machine's kernel resources; undefined = it uses the site's network. */
  networkOf(machine: Wired): MachineNetwork | undefined;
  /** Reserves the place of a new machine, which is recorded before anything is created. Errors: ProviderError. */
  take(id: string, params: StartParams): Promise<Place>;
  /** Finds the place of a machine with a lost record; undefined when it has none. */
  find(machine: Pick<InstanceRecord, 'id' | 'machineId'>): Promise<Place | undefined>;
  /** Creates a machine's network, or its missing parts. Returns the address with prefix length. */
  connect(record: InstanceRecord, network: MachineNetwork, params: StartParams): Promise<string>;
  disconnect(network: MachineNetwork, machine: Wired): Promise<void>;
  /** Releases the reserved place, also when no record names it. */
  release(id: string): Promise<void>;
}

interface HostWiringParams {
  readonly open: OpenParams;
  readonly locks: Locks;
}

/** Returns the wiring on the controller's host: each machine has a slot of its model. */
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
      // The wiring of a container is managed inside its machine.
      const slot = containerHost(id) === undefined ? await slotOf(folder, id) : undefined;
      return slot === undefined ? undefined : { slot };
    },
    async connect(record, network) {
      // The recorded address stays, unless another controller took the subnet first after a reboot.
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
    // Addresses of its containers are released with the machine's.
    release: (id) => releaseSlots(folder, (owner) => owner === id || owner.startsWith(`${id}-`)),
  };
}

/** Reserves the address of a container on one of the model's machines: a slot that stays reserved until released. */
export async function takeContainerAddress(params: HostWiringParams, machineId: string): Promise<Address> {
  const { open, locks } = params;
  const folder = modelFolder(open.stateDir, open.modelUuid);
  const owner = instanceIdFor(open.modelUuid, machineId);
  const subnet = await ensureSubnet(params);
  // The lock per owner prevents two concurrent calls from taking two slots.
  return await locks(`${folder} ${owner}`, async () => {
    const slot = (await slotOf(folder, owner)) ?? (await takeSlot(folder, owner, machinesPerModel));
    if (slot === undefined) throw full();
    return machineAddress(machineCidr(subnet, slot));
  });
}

/** Releases the addresses of removed containers; idempotent. */
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
  return new ProviderError('quota', `the model has ${machinesPerModel} machines, the maximum on one bridge`);
}
