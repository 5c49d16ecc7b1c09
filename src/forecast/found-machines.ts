/** Machines as a copied model knows them: what is on their disks, and whether they are heard of. */
import type { Entities } from '../core/kinds.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import { defined } from '../core/defined.ts';
import { jujuVersion } from '../core/juju-version.ts';
import { statusId } from '../core/status.ts';
import type { LocalState } from '../core/unit/local-state.ts';
import { volumeOf } from '../core/storage/document.ts';
import type { Reader } from '../store/store.ts';
import type { FoundMachine } from './world/machine-host.ts';
import { placeOf, type FoundStorage } from './world/storage-host.ts';

/** Returns what is on the machine; undefined = it has never been heard of, and boots. */
export function foundMachine(
  machine: MachineDoc & Required<Pick<MachineDoc, 'instance'>>,
  { view, present }: { readonly view: Reader<Entities>; readonly present: boolean },
): FoundMachine | undefined {
  const { id, hostname, addresses, hostKeys, instance } = machine;
  const instanceStatus = view.get('status', statusId('instance', id))?.status;
  const agentStatus = view.get('status', statusId('machine-agent', id))?.status ?? 'pending';
  const isStopped = instanceStatus === 'stopped';
  if (!present && !isStopped && instanceStatus !== 'lost' && agentStatus === 'pending') return undefined;
  const { arch = 'amd64', cores = 1, mem = 1024 } = instance.hardware;
  const units = new Map<string, string>();
  let bootId = '';
  for (const { name, deployed } of view.find('unit', 'machine', id)) {
    const local = view.get('unit-state', name)?.agent as LocalState | undefined;
    if (local || deployed) units.set(name, local?.charmUrl ?? '');
    if (local?.bootId) bootId = local.bootId;
  }
  return {
    as: present ? 'running' : isStopped ? 'stopped' : 'silent',
    bootId: bootId === '' ? `boot of ${instance.id}` : bootId,
    facts: {
      hostname,
      addresses: addresses.map(({ value, scope, cidr, interfaceName, macAddress }) => ({
        value,
        scope,
        ...defined({ cidr, interfaceName, macAddress }),
      })),
      hardware: { arch, cores, mem },
      version: jujuVersion,
      ...defined({ hostKeys: hostKeys && [...hostKeys] }),
    },
    units,
    storage: storageOn(view, id),
  };
}

function storageOn(view: Reader<Entities>, machine: string): FoundStorage[] {
  return [...view.find('storage', 'machine', machine)].flatMap((doc) => {
    const { id, detachable, made, mounted, device, provider, number } = doc;
    if (!made) return [];
    const folder = detachable
      ? undefined
      : placeOf({ provider, number, ...defined({ volume: volumeOf(doc) }) });
    return [{ id, ...defined({ folder, device, path: mounted || undefined }) }];
  });
}
