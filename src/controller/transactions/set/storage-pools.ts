import { JujuError, notFound, notValid } from '../../../core/errors.ts';
import { isPoolName } from '../../../core/storage/directive.ts';
import type { StoragePoolDoc } from '../../../core/storage-pool/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Creates a pool. Errors: `not valid` (name, attributes), `already exists`. `providers`: types of which there can be
 * pools.
 */
export function createPool(tx: Tx, pool: StoragePoolDoc, providers: readonly string[]): void {
  if (!isPoolName(pool.name)) throw notValid(`pool name "${pool.name}" not valid`);
  if (!providers.includes(pool.provider)) throw notFound('storage provider', pool.provider);
  if (providers.includes(pool.name) || tx.get('storage-pool', pool.name))
    throw new JujuError('already exists', `storage pool "${pool.name}" already exists`);
  checkAttributes(pool.attributes);
  tx.put('storage-pool', pool.name, pool);
}

/** Gives a new model its default pools, once: a user may remove them. */
export function addDefaultPools(
  tx: Tx,
  provider: string,
  pools: readonly Omit<StoragePoolDoc, 'provider'>[],
): void {
  const root = tx.in('');
  const model = root.get('model', tx.space);
  if (model?.life !== 'alive' || model.defaultPools) return;
  root.put('model', model.uuid, { ...model, defaultPools: true });
  for (const pool of pools)
    if (!tx.get('storage-pool', pool.name)) tx.put('storage-pool', pool.name, { ...pool, provider });
}

/** Replaces all attributes. Errors: `not found`, `not valid`. */
export function updatePool(tx: Tx, { name, attributes }: Omit<StoragePoolDoc, 'provider'>): void {
  const pool = tx.get('storage-pool', name);
  if (!pool) throw notFound('storage pool', name);
  checkAttributes(attributes);
  tx.put('storage-pool', name, { ...pool, attributes });
}

/**
 * Removes a pool. Errors: `not found`; '' while a storage or an application uses it, or the application's rollback
 * would.
 */
export function removePool(tx: Tx, name: string): void {
  if (!tx.get('storage-pool', name)) throw notFound('storage pool', name);
  const isWanted = [...tx.list('application')].some(({ storage, rollout }) =>
    [storage, rollout?.before.storage].some((wishes = {}) =>
      Object.values(wishes).some(({ pool, count }) => pool === name && count > 0),
    ),
  );
  if (isWanted || tx.count('storage', 'pool', name) > 0)
    throw new JujuError('', `storage pool "${name}" in use`);
  tx.remove('storage-pool', name);
}

function checkAttributes(attributes: StoragePoolDoc['attributes']): void {
  for (const reserved of ['name', 'type'])
    if (Object.hasOwn(attributes, reserved)) throw notValid(`pool attribute "${reserved}" not valid`);
}
