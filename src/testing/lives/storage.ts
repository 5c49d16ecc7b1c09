/**
 * Rules of storage, of the cloud and of machines' own disks, written from storage.md#storage-steps and storage.md#ends:
 * acts of units, machines and the cloud's volumes. The caller must release the machine that a rule returns.
 */
import type { Facts, Storage } from './facts.ts';
import { take } from './make.ts';
import { existing, refuseIf } from './refused.ts';

type StorageEnd = Exclude<Storage['ending'], ''>;

/** Key of the volume that is in the cloud before the model, while no storage has it. */
export const foundVolume = 'found';

/** Imports a storage whose volume the cloud has already. */
export function importStorage(facts: Facts): void {
  refuseIf(!facts.model, 'not found');
  refuseIf(facts.model?.life !== 'alive', '');
  refuseIf(
    [...facts.storages.values()].some(({ found }) => found),
    'already exists',
  );
  const id = `data/${take(facts, 'storage')}`;
  addStorage(facts, id, { unit: '', machine: '', own: false });
  Object.assign(existing(facts.storages, id), { found: true, adopting: true });
}

/** Adopts the volume for the storage, as the storage worker does; without a volume, the storage is removed again. */
function adopt(facts: Facts, id: string, storage: Storage, recorded: boolean): undefined {
  if (!facts.volumes.has(id)) {
    if (!facts.volumes.delete(foundVolume)) {
      if (recorded) endStorage(storage, 'release');
      return;
    }
    facts.volumes.set(id, '');
  }
  if (recorded) Object.assign(storage, { adopting: false, made: true });
}

function addStorage(
  facts: Facts,
  id: string,
  { unit, machine, own }: Pick<Storage, 'unit' | 'machine' | 'own'>,
): void {
  const nothing = { leaving: false, holder: '', made: false, attached: false, mounted: false } as const;
  facts.storages.set(id, { own, unit, machine, ...nothing, found: false, adopting: false, ending: '' });
}

/** Gives a new unit the storage that its charm asks for: an existing storage that nobody uses, or a new one. */
export function giveStorage(facts: Facts, unit: string, own: boolean, attach: string | undefined): void {
  const { machine } = existing(facts.units, unit);
  if (attach === undefined) addStorage(facts, `data/${take(facts, 'storage')}`, { unit, machine, own });
  else takeOver(facts, attach, unit);
}

/** Gives a unit a storage that nobody uses, and nothing holds any more. */
export function takeOver(facts: Facts, id: string, name: string): void {
  const storage = existing(facts.storages, id);
  const { own, unit, ending, mounted, holder, machine } = storage;
  refuseIf(storage.adopting, '');
  refuseIf(ending !== '' || unit !== '' || mounted || holder !== '', '');
  // Storage on a machine's own disk stays there.
  refuseIf(machine !== (own ? existing(facts.units, name).machine : ''), '');
  // The charm may have one storage.
  refuseIf(storagesOf(facts, name).length > 0, 'not valid');
  storage.unit = name;
  storage.machine = existing(facts.units, name).machine;
}

export function storagesOf(facts: Facts, unit: string): [string, Storage][] {
  return [...facts.storages].filter(([, one]) => one.unit === unit);
}

/** Whether the machine's instance has, or may have, a volume for the storage on the machine. */
export function holdsStorage(facts: Facts, machine: string): boolean {
  return [...facts.storages.values()].some((one) => one.machine === machine && one.holder !== '');
}

/** Begins the removal of a storage; an earlier request counts. */
export function endStorage(storage: Storage, how: StorageEnd): void {
  storage.ending ||= how;
}

/** Lets the storage of a unit go that is being removed, by its agent. */
export function endStorageOf(facts: Facts, unit: string, destroy: boolean): void {
  for (const [, one] of storagesOf(facts, unit)) {
    one.leaving = true;
    if (destroy || one.own) endStorage(one, 'destroy');
  }
}

/**
 * Separates a storage from its unit. A storage that the agent could have mounted counts as mounted until the agent says
 * otherwise.
 */
export function leaveUnit(facts: Facts, id: string): string | undefined {
  const storage = existing(facts.storages, id);
  const { own, made, attached, unit } = storage;
  // Storage of the machine is removed with a unit that is removed.
  if (own && facts.units.get(unit)?.life !== 'alive') endStorage(storage, 'destroy');
  storage.unit = '';
  storage.leaving = false;
  storage.mounted ||= made && (own || attached);
  return letGo(facts, id);
}

/**
 * Takes the storage from a machine that neither has it mounted nor has its volume. Returns that machine. Storage on a
 * machine's own disk stays there, until its agent erases it.
 */
export function letGo(facts: Facts, id: string): string | undefined {
  const storage = existing(facts.storages, id);
  const { own, unit, mounted, holder, machine, ending } = storage;
  if (unit !== '' || mounted) return undefined;
  if (own && ending !== '' && machine === '') facts.storages.delete(id);
  if (own || holder !== '' || machine === '') return undefined;
  storage.machine = '';
  return machine;
}

/** Forgets a machine whose record is gone; its instance may still have the volume. */
export function forgetMachineOf(facts: Facts, machine: string): void {
  for (const [id, one] of facts.storages) {
    if (one.machine !== machine) continue;
    if (one.own) facts.storages.delete(id);
    else Object.assign(one, { machine: '', attached: false, mounted: false });
  }
}

/** Detaches all volumes from an instance that is gone. */
export function loseHolder(facts: Facts, machine: string): void {
  for (const [id, holder] of facts.volumes) if (holder === machine) facts.volumes.set(id, '');
}

/** Carries out the cloud's next step; without `recorded`, the controller dies before it records the step. */
export function cloudStep(facts: Facts, id: string, recorded: boolean): string | undefined {
  const storage = facts.storages.get(id);
  if (!storage || storage.own) return undefined;
  if (storage.adopting && storage.ending === '') return adopt(facts, id, storage, recorded);
  return storage.unit === '' ? withdraw(facts, id, storage, recorded) : supply(facts, id, storage, recorded);
}

function supply(facts: Facts, id: string, storage: Storage, recorded: boolean): undefined {
  const { made, attached, leaving, ending, machine: on } = storage;
  if (leaving) return;
  if (!made) {
    if (ending !== '') return;
    if (!facts.volumes.has(id)) facts.volumes.set(id, '');
    storage.made = recorded;
    return;
  }
  const machine = facts.machines.get(on);
  if (attached || !machine?.recorded || machine.life === 'dead') return;
  storage.holder = on;
  facts.volumes.set(id, facts.instances.has(on) ? on : '');
  storage.attached = recorded;
}

function withdraw(facts: Facts, id: string, storage: Storage, recorded: boolean): string | undefined {
  // The machine's agent unmounts the storage first.
  if (storage.mounted) return undefined;
  if (storage.holder !== '') {
    if (facts.volumes.get(id) === storage.holder) facts.volumes.set(id, '');
    if (!recorded) return undefined;
    storage.holder = '';
    storage.attached = false;
    return letGo(facts, id);
  }
  if (storage.machine !== '') return recorded ? letGo(facts, id) : undefined;
  if (storage.ending === '') return undefined;
  const was = facts.volumes.delete(id);
  // The volume belongs to its former owner again.
  if (was && storage.found && storage.ending === 'release') facts.volumes.set(foundVolume, '');
  if (recorded) facts.storages.delete(id);
  return undefined;
}
