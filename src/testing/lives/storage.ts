/**
 * The rules of storage that the cloud holds, written from storage.md#storage-steps and storage.md#ends: what units,
 * machines and the cloud's volumes do with it. Whoever calls must release the machine that a rule returns.
 */
import type { Facts, Storage } from './facts.ts';
import { take } from './make.ts';
import { existing, refuseIf } from './refused.ts';

export type StorageEnd = Exclude<Storage['ending'], ''>;

function addStorage(facts: Facts, id: string, unit: string, machine: string): void {
  const nothing = { leaving: false, holder: '', made: false, attached: false, mounted: false } as const;
  facts.storages.set(id, { unit, machine, ...nothing, ending: '' });
}

/** Gives a new unit the storage that its charm asks for: another's that nobody uses, or one of its own. */
export function giveStorage(facts: Facts, unit: string, attach: string | undefined): void {
  const { machine } = existing(facts.units, unit);
  if (attach === undefined) addStorage(facts, `data/${take(facts, 'storage')}`, unit, machine);
  else takeOver(facts, attach, unit);
}

/** A storage that nobody uses, and nothing holds any more. */
export function takeOver(facts: Facts, id: string, name: string): void {
  const storage = existing(facts.storages, id);
  const { unit, ending, mounted, holder, machine } = storage;
  refuseIf(ending !== '' || unit !== '' || mounted || holder !== '' || machine !== '', '');
  // The charm may have one.
  refuseIf(storagesOf(facts, name).length > 0, 'not valid');
  storage.unit = name;
  storage.machine = existing(facts.units, name).machine;
}

export function storagesOf(facts: Facts, unit: string): [string, Storage][] {
  return [...facts.storages].filter(([, one]) => one.unit === unit);
}

/** Whether the machine's instance has, or may have, a volume for what is on it. */
export function holdsStorage(facts: Facts, machine: string): boolean {
  return [...facts.storages.values()].some((one) => one.machine === machine && one.holder !== '');
}

/** A removal that was asked for earlier is the one that counts. */
export function endStorage(storage: Storage, how: StorageEnd): void {
  storage.ending ||= how;
}

/** The unit is going: its agent lets its storage go. */
export function endStorageOf(facts: Facts, unit: string, destroy: boolean): void {
  for (const [, one] of storagesOf(facts, unit)) {
    one.leaving = true;
    if (destroy) endStorage(one, 'destroy');
  }
}

/** The storage is its unit's no more. What the agent could mount already counts as mounted until it says otherwise. */
export function leaveUnit(storage: Storage): string | undefined {
  storage.unit = '';
  storage.leaving = false;
  storage.mounted ||= storage.made && storage.attached;
  return letGo(storage);
}

/** Takes the storage from a machine that neither has it mounted nor has its volume. Returns that machine. */
export function letGo(storage: Storage): string | undefined {
  const { unit, mounted, holder, machine } = storage;
  if (unit !== '' || mounted || holder !== '' || machine === '') return undefined;
  storage.machine = '';
  return machine;
}

/** The machine's record is gone; its instance may still have the volume. */
export function forgetMachineOf(facts: Facts, machine: string): void {
  for (const one of facts.storages.values())
    if (one.machine === machine) Object.assign(one, { machine: '', attached: false, mounted: false });
}

/** The instance is gone: no volume is attached to it. */
export function loseHolder(facts: Facts, machine: string): void {
  for (const [id, holder] of facts.volumes) if (holder === machine) facts.volumes.set(id, '');
}

/** The cloud's next step; without `recorded` the controller dies before it writes down what was done. */
export function cloudStep(facts: Facts, id: string, recorded: boolean): string | undefined {
  const storage = facts.storages.get(id);
  if (!storage) return undefined;
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
  // The machine's agent unmounts it first.
  if (storage.mounted) return undefined;
  if (storage.holder !== '') {
    if (facts.volumes.get(id) === storage.holder) facts.volumes.set(id, '');
    if (!recorded) return undefined;
    storage.holder = '';
    storage.attached = false;
    return letGo(storage);
  }
  if (storage.machine !== '') return recorded ? letGo(storage) : undefined;
  if (storage.ending === '') return undefined;
  facts.volumes.delete(id);
  if (recorded) facts.storages.delete(id);
  return undefined;
}
