/** Volumes of the cloud that the model takes in: the record comes first, and the storage worker does the rest. */
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { StorageProvider } from '../../../core/storage/providers.ts';
import { aliveModel, takeNumbers, type Tx } from '../tx.ts';

export interface ImportArgs {
  /** Name of the storage in the metadata of charms. */
  readonly name: string;
  readonly pool: string;
  readonly provider: StorageProvider;
  /** The cloud's id of the volume. */
  readonly volume: string;
}

/**
 * Makes the record of the storage; returns its id. Errors: `already exists` where the model has the volume, or is
 * taking it; `quota limit exceeded` for the volume's id; '' for a dying model.
 */
export function importStorage(tx: Tx, { name, pool, provider, volume }: ImportArgs): string {
  aliveModel(tx);
  checkLimit(limits.volumeId, volume.length);
  for (const { id, made, adopting } of tx.find('storage', 'detachable', 'detachable'))
    if (adopting === volume || made?.providerId === volume)
      throw new JujuError('already exists', `volume "${volume}" is storage "${id}" of this model`);
  const id = `${name}/${takeNumbers(tx, 'storage', 1)}`;
  tx.put('storage', id, {
    id,
    name,
    type: 'filesystem',
    pool,
    provider: provider.type,
    attributes: { ...tx.get('storage-pool', pool)?.attributes },
    size: 0,
    number: String(takeNumbers(tx, 'filesystem', 1)),
    adopting: volume,
    detachable: true,
    createdAt: tx.now,
    since: tx.now,
  });
  return id;
}

/**
 * Gives up an import that nobody waits for any more: what the cloud has given the model meanwhile is let go again.
 * False when the model had already taken the volume.
 */
export function giveUpImport(tx: Tx, storage: string): boolean {
  const doc = tx.get('storage', storage);
  if (doc?.adopting !== undefined) tx.put('storage', storage, { ...doc, ending: 'release', since: tx.now });
  return !doc || doc.adopting !== undefined || doc.ending !== undefined;
}
