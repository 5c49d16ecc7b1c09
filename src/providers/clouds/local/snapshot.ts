/** Facts about a machine that are reported to callers. */
import { statfs } from 'node:fs/promises';
import { parseBase } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { Address } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import type { Instance } from '../../contract/provider.ts';
import type { Capabilities } from './capabilities.ts';
import { hostArch } from './config.ts';
import type { InstanceRecord } from './record.ts';
import { sizeAround } from './size.ts';
import { addressOf, macFor, subnetOf } from './subnets.ts';
import { defined } from '../../../core/defined.ts';

export function snapshotOf(record: InstanceRecord, lives: boolean): Instance {
  return {
    id: record.id,
    displayName: record.id,
    status: lives ? 'running' : record.started ? 'stopped' : 'pending',
    message: notesOf(record).join('; '),
    addresses: [machineAddress(record.cidr)],
    tags: record.tags,
    ...defined({ zone: record.zone }),
    isolation: record.isolation,
    ...defined({ base: record.runsOn ? parseBase(record.runsOn) : undefined }),
  };
}

function notesOf({ runsOn, trial }: InstanceRecord): string[] {
  return [
    ...(runsOn === '' ? ['runs on files of an unknown base'] : []),
    ...(trial === 'failed' ? ['runs without systemd, which did not come up'] : []),
  ];
}

/** Returns the hardware: the limits, where they can be set, else everything on the site. */
export async function hardwareOf(
  folder: string,
  { mem, cores }: Constraints,
  { cgroups }: Capabilities,
  zone: string | undefined,
): Promise<Hardware> {
  const disk = await statfs(folder);
  const host = await sizeAround(cgroups);
  return {
    arch: hostArch(),
    cores: cgroups && cores ? Math.min(cores, host.cores) : host.cores,
    mem: cgroups && mem ? Math.min(mem, host.mem) : host.mem,
    rootDisk: Math.floor((disk.blocks * disk.bsize) / 1024 / 1024),
    ...defined({ availabilityZone: zone }),
  };
}

/** Returns the address of a machine on its model's network; the host's loopback when it has no address of its own. */
export function machineAddress(cidr: string | undefined): Address {
  if (!cidr) return { value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' };
  const value = addressOf(cidr);
  return {
    value,
    type: 'ipv4',
    scope: 'local-cloud',
    cidr: subnetOf(cidr),
    interfaceName: 'eth0',
    macAddress: macFor(value),
  };
}
