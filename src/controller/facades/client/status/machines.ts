import { jsonLength } from '../../../../core/json-bytes.ts';
import { limits } from '../../../../core/limits.ts';
import type { Hardware } from '../../../../core/machine/hardware.ts';
import type { MachineDoc } from '../../../../core/machine/document.ts';
import type { View } from '../../../transactions/tx.ts';
import { spaceOfAddress } from '../../../../core/network/address-space.ts';
import { formatBase } from '../../../../core/base.ts';
import { formatConstraints } from '../../../../core/constraints.ts';
import { displayMachineStatus, type Status } from '../../../../core/status.ts';
import type { MachineStatus } from '../../../../wire/facades/client.ts';
import { statusOf } from '../../../transactions/tx.ts';
import { publicAddress, reachable } from '../../shared/addresses.ts';
import { lxdProfileResult } from '../../shared/lxd-profile.ts';
import { detailed } from './detailed.ts';
import { withStartReason, withEnding } from './ending.ts';
import type { Selection } from './filter.ts';
import type { StatusScope } from './scope.ts';
import { statusSize } from './shortened.ts';
import { defined } from '../../../../core/defined.ts';

/** Statuses of machines; containers are below their hosts. */
export async function machineStatuses(
  scope: StatusScope,
  selection: Selection | undefined,
): Promise<Record<string, MachineStatus>> {
  const machines: Record<string, MachineStatus> = {};
  for (const id of selection?.machines ?? [...scope.view.list('machine')].map((one) => one.id)) {
    const machine = scope.view.get('machine', id);
    if (machine && machine.parent === undefined) machines[id] = machineStatus(scope, machine, selection);
    await scope.pause();
  }
  return machines;
}

/** Characters of an address, roughly: it is shown in a list, and with its interface. */
const addressSize = 200;

function machineStatus(
  scope: StatusScope,
  machine: MachineDoc,
  selection: Selection | undefined,
): MachineStatus {
  const { view } = scope;
  const agent = statusOf(view, 'machine-agent', machine.id, machine.createdAt);
  const shown = displayMachineStatus({
    agent,
    present: scope.present(machine),
    dead: machine.life === 'dead',
  });
  const containers: Record<string, MachineStatus> = {};
  for (const container of view.find('machine', 'parent', machine.id))
    if (!selection || selection.machines.has(container.id))
      containers[container.id] = machineStatus(scope, container, selection);
  const addresses = reachable(machine);
  const interfaces = networkInterfaces(machine, scope.view);
  const profiles = scope.charmProfiles(machine);
  const instance = instanceStatus(scope, machine, agent);
  const modification = statusOf(view, 'modification', machine.id, machine.createdAt);
  const size =
    statusSize(shown) +
    statusSize(instance) +
    statusSize(modification) +
    machine.addresses.length * addressSize +
    jsonLength(profiles, limits.statusDetails.max);
  return scope.details.of(
    {
      'agent-status': detailed(shown, {
        version: agent.status === 'pending' || !machine.instance ? '' : scope.version,
        life: machine.life,
      }),
      'instance-status': detailed(instance),
      'modification-status': detailed(modification),
      ...defined({ hostname: machine.hostname || undefined }),
      'dns-name': publicAddress(machine),
      ...defined({ 'ip-addresses': addresses.length > 0 ? addresses : undefined }),
      'instance-id': machine.instance?.id ?? 'pending',
      'display-name': machine.instance?.displayName ?? '',
      base: machine.base,
      id: machine.id,
      ...(interfaces.size > 0 ? { 'network-interfaces': Object.fromEntries(interfaces) } : {}),
      containers,
      constraints: formatConstraints(machine.constraints),
      hardware: machine.instance ? formatHardware(machine.instance.hardware) : '',
      jobs: machine.isController ? ['JobManageModel'] : ['JobHostUnits'],
      'has-vote': machine.isController,
      'wants-vote': machine.isController,
      ...(profiles.length > 0
        ? { 'lxd-profiles': Object.fromEntries(profiles.map((one) => [one.name, lxdProfileResult(one)])) }
        : {}),
    },
    size,
  );
}

/**
 * Status of a machine's instance. It includes a local machine's isolation, so that missing isolation is visible; what a
 * dying machine, or one without an instance, waits for; and the progress of the first boot until the agent has come.
 */
function instanceStatus(scope: StatusScope, machine: MachineDoc, agent: Status): Status {
  const status = statusOf(scope.view, 'instance', machine.id, machine.createdAt);
  if (machine.life !== 'alive') return withEnding(scope, { kind: 'machine', id: machine.id }, status);
  if (!machine.instance) return withStartReason(scope, machine, status);
  const isBooting = agent.status === 'pending' || agent.status === 'error';
  if (status.status === 'running' && isBooting && agent.message !== '')
    return { ...status, message: agent.message };
  const { isolation, base } = machine.instance;
  if (status.status !== 'running' || (isolation === '' && !base)) return status;
  const remarks = [
    ...(isolation === '' ? [] : [`isolation: ${isolation}`]),
    // The reason and the remedy are in the model's notes, once.
    ...(base ? [`on ${formatBase(base)}`] : []),
  ];
  return { ...status, message: `${status.message || 'Running'} (${remarks.join(', ')})` };
}

/** Formats hardware as `arch=amd64 cores=2 mem=2048M root-disk=8192M availability-zone=z1`. */
function formatHardware(hardware: Hardware): string {
  let text = '';
  const add = (key: string, value: string | number | undefined, unit = ''): void => {
    if (value !== undefined && value !== '') text += `${text === '' ? '' : ' '}${key}=${value}${unit}`;
  };
  add('arch', hardware.arch);
  add('cores', hardware.cores);
  add('cpu-power', hardware.cpuPower);
  add('mem', hardware.mem, 'M');
  add('root-disk', hardware.rootDisk, 'M');
  add('root-disk-source', hardware.rootDiskSource);
  add('tags', hardware.tags?.join(','));
  add('availability-zone', hardware.availabilityZone);
  add('virt-type', hardware.virtType);
  return text;
}

type Interface = NonNullable<MachineStatus['network-interfaces']>[string];

const noInterfaces: ReadonlyMap<string, Interface> = new Map();

function networkInterfaces({ addresses }: MachineDoc, view: View): ReadonlyMap<string, Interface> {
  if (addresses.length === 0) return noInterfaces;
  // A Map is used because agents choose the names, such as `constructor`.
  const interfaces = new Map<string, Interface & { 'ip-addresses': string[] }>();
  for (const address of addresses) {
    const { interfaceName, scope, macAddress, value } = address;
    if (interfaceName === undefined || scope === 'local-machine') continue;
    // Readers of JSON may treat `__proto__` as more than a name.
    if (interfaceName === '__proto__') continue;
    const networkInterface = interfaces.get(interfaceName) ?? {
      'ip-addresses': [],
      'mac-address': macAddress ?? '',
      space: spaceOfAddress(address, (cidr) => view.get('subnet', cidr)),
      'is-up': true,
    };
    networkInterface['ip-addresses'].push(value);
    interfaces.set(interfaceName, networkInterface);
  }
  return interfaces;
}
