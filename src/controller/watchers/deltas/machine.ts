import { formatBase } from '../../../core/base.ts';
import type { Address } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { displayMachineStatus } from '../../../core/status.ts';
import { statusOf } from '../../transactions/tx.ts';
import type { DeltaScope } from './delta.ts';
import { statusInfo } from './status-info.ts';
import { defined } from '../../../core/defined.ts';

export function machineBody(
  { reader, modelUuid, services }: DeltaScope,
  id: string,
): Record<string, unknown> | undefined {
  const machine = reader.get('machine', id);
  if (!machine) return undefined;
  const agent = statusOf(reader, 'machine-agent', id, machine.createdAt);
  const present = services.presence.isPresent(modelUuid, id);
  const shown = displayMachineStatus({ agent, present, dead: machine.life === 'dead' });
  return {
    id,
    'instance-id': machine.instance?.id ?? '',
    'agent-status': statusInfo(shown, agent.status === 'pending' ? '' : services.version),
    'instance-status': statusInfo(statusOf(reader, 'instance', id, machine.createdAt)),
    life: machine.life,
    base: formatBase(machine.base),
    'container-type': machine.containerType ?? '',
    'supported-containers': [],
    'supported-containers-known': false,
    ...(machine.instance ? { 'hardware-characteristics': hardwareBody(machine.instance.hardware) } : {}),
    jobs: [machine.isController ? 'JobManageModel' : 'JobHostUnits'],
    addresses: machine.addresses.map(addressBody),
    'has-vote': machine.isController,
    'wants-vote': machine.isController,
    ...defined({ hostname: machine.hostname || undefined }),
  };
}

function hardwareBody(hardware: Hardware): Record<string, unknown> {
  const { arch, cores, cpuPower, mem, rootDisk, rootDiskSource, tags, availabilityZone, virtType } = hardware;
  const named = {
    arch,
    'cpu-cores': cores,
    'cpu-power': cpuPower,
    mem,
    'root-disk': rootDisk,
    'root-disk-source': rootDiskSource,
    tags,
    'availability-zone': availabilityZone,
    'virt-type': virtType,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function addressBody({ value, type, scope, cidr }: Address): Record<string, unknown> {
  return { value, type, scope, ...defined({ cidr }) };
}
