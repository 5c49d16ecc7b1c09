/** Commands about storage, by the calls that the CLI makes for them. */
import type { Entities } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';
import { formatTag, unitTag } from '../../wire/tags.ts';
import { pick, rather } from './choose.ts';
import { onlyResult, type Results } from './results.ts';
import type { Command, StorageCommand, StoragePool } from './script.ts';
import type { Desk } from './give-command.ts';

type View = Reader<Entities>;

/** Returns the storage that a deployed db gets: some of it on its machine's own disk. */
export function storageDirectives(pool: StoragePool): object {
  return { data: { pool, size: 64, count: 1 } };
}

const isOfStorage = new Set<string>([
  'add-storage',
  'attach-storage',
  'detach-storage',
  'import-filesystem',
  'remove-storage',
] satisfies StorageCommand['do'][]);

export function isStorageCommand(command: Command): command is StorageCommand {
  return isOfStorage.has(command.do);
}

/** Gives a command in the model of `view`. */
export async function giveStorageCommand(
  { operator, world, onGiven }: Pick<Desk, 'operator' | 'world' | 'onGiven'>,
  view: View,
  command: StorageCommand,
): Promise<void> {
  const model = view.space;
  const call = async (method: string, params: unknown): Promise<void> =>
    void onlyResult(await operator.call<Results>(model, 'Storage', method, params));
  switch (command.do) {
    case 'add-storage': {
      const { name } = pick([...view.find('unit', 'application', command.application)], command.pick);
      const storage = { pool: command.pool, size: 64, count: 1 };
      // Loop devices are used as they are.
      const wanted = command.pool === 'loop' ? 'disk' : 'data';
      return call('AddToUnit', { storages: [{ unit: unitTag(name), name: wanted, storage }] });
    }
    case 'attach-storage': {
      const { name } = pick([...view.find('unit', 'application', command.application)], command.pick);
      const id = pickDetached(view, command.storage);
      const ids = [{ 'storage-tag': storageTag(id), 'unit-tag': unitTag(name) }];
      return call('Attach', { ids });
    }
    case 'detach-storage': {
      const used = [...view.list('storage')].filter(({ attachment }) => attachment);
      const { id } = pick(used, command.pick);
      const ids = { ids: [{ 'storage-tag': storageTag(id), 'unit-tag': '' }] };
      return call('DetachStorage', { ids, force: command.forced });
    }
    case 'import-filesystem': {
      const released = world.cloud.released();
      const volume = released[command.pick % Math.max(released.length, 1)] ?? 'volume-unknown';
      const one = { kind: 2, pool: 'simulated', 'provider-id': volume, 'storage-name': 'data' };
      return call('Import', { storage: [one] });
    }
    case 'remove-storage': {
      const { id } = pick(
        rather([...view.list('storage')], ({ attachment }) => !attachment),
        command.pick,
      );
      onGiven(model, `storage ${id}`);
      const wanted = { 'destroy-attachments': command.forced, 'destroy-storage': !command.release };
      return call('Remove', { storage: [{ tag: storageTag(id), force: false, ...wanted }] });
    }
  }
}

/** Returns the id of one of the storages that no unit uses. Errors: `not found`. */
export function pickDetached(view: View, number: number): string {
  return pick([...view.find('storage', 'detached', 'detached')], number).id;
}

export function storageTag(id: string): string {
  return formatTag({ kind: 'storage', id });
}
