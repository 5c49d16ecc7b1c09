/** Acts of operators and agents on storage, by the rules of storage.md#operators. */
import type { Facts } from './facts.ts';
import { existing, refuseIf } from './refused.ts';
import { releaseMachine } from './rules.ts';
import type { StorageStep } from './step.ts';
import { cloudStep, endStorage, importStorage, leaveUnit, letGo, takeOver } from './storage.ts';

export function followStorage(facts: Facts, step: StorageStep): void {
  if (step.do === 'import-filesystem') return importStorage(facts);
  const { storage: id } = step;
  switch (step.do) {
    case 'attach-storage': {
      refuseIf(existing(facts.units, step.unit).life !== 'alive', '');
      const storage = existing(facts.storages, id);
      if (storage.unit !== step.unit || storage.leaving) takeOver(facts, id, step.unit);
      return;
    }
    case 'give-up-import': {
      const storage = facts.storages.get(id);
      if (storage?.adopting) endStorage(storage, 'release');
      return;
    }
    case 'detach-storage':
      return detach(facts, id);
    case 'remove-storage': {
      const storage = existing(facts.storages, id);
      refuseIf(storage.own && step.release === true, 'not supported');
      refuseIf(storage.unit !== '' && !step.detach, 'storage is attached');
      endStorage(storage, step.release ? 'release' : 'destroy');
      if (storage.unit === '') release(facts, letGo(facts, id));
      else detach(facts, id);
      return;
    }
    case 'mount': {
      const storage = facts.storages.get(id);
      if (storage && storage.machine !== '') storage.mounted = true;
      return;
    }
    case 'unmount': {
      const storage = facts.storages.get(id);
      if (!storage?.mounted) return;
      storage.mounted = false;
      return release(facts, letGo(facts, id));
    }
    case 'release-storage': {
      const storage = facts.storages.get(id);
      if (storage?.unit === step.unit && storage.leaving) release(facts, leaveUnit(facts, id));
      return;
    }
    case 'make': {
      const storage = facts.storages.get(id);
      if (storage?.own && storage.machine !== '') storage.made = true;
      return;
    }
    case 'erase': {
      const storage = facts.storages.get(id);
      // A storage is detached by its unit first.
      if (storage?.own && storage.ending !== '' && storage.unit === '') facts.storages.delete(id);
      return;
    }
    case 'volume':
    case 'volume-unrecorded':
      return release(facts, cloudStep(facts, id, step.do === 'volume'));
  }
}

function detach(facts: Facts, id: string): void {
  const storage = existing(facts.storages, id);
  if (storage.unit === '') return;
  if (existing(facts.units, storage.unit).deployed) storage.leaving = true;
  else release(facts, leaveUnit(facts, id));
}

function release(facts: Facts, machine: string | undefined): void {
  if (machine !== undefined) releaseMachine(facts, machine);
}
