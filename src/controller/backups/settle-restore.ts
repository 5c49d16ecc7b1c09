/** Carries out an accepted restore, in batches (backups.md#after-a-restore). */
import type { Entities } from '../../core/kinds.ts';
import { isHeld, type Restored } from '../../core/model/restored.ts';
import type { Store } from '../../store/store.ts';
import { settleUnits, type Told } from '../transactions/agent/restored-units.ts';
import { beginRestore, endRestore } from '../transactions/change/restore.ts';

/** Number of units and storages that go over in one transaction. */
const batch = 500;
const by = 'restore-backup';

/**
 * Does what a controller's start has to do before any worker or agent sees the store: records a restore of it, and
 * carries out acceptances that were under way when the controller ended. May be repeated. `earlier`: as beginRestore().
 */
export async function resumeRestores(
  store: Store<Entities>,
  restore?: Pick<Restored, 'at' | 'backup' | 'id'>,
  earlier?: number,
): Promise<void> {
  if (restore) await store.change((tx) => beginRestore(tx, restore, earlier), by);
  for (const { uuid } of store.read().in('').list('model')) await settleRestore(store, uuid, by);
}

/**
 * Lets the units and storages of a model go over as its operator has accepted, then ends its wait. Repeated, also after
 * a crash, it does what is left; nothing for a model whose restore was not accepted.
 */
export async function settleRestore(store: Store<Entities>, modelUuid: string, by: string): Promise<void> {
  const view = store.read().in(modelUuid);
  const model = view.in('').get('model', modelUuid);
  if (!isHeld(model) || model?.restored?.accepting === undefined) return;
  // What an agent tells from now on counts at once.
  const told: Told[] = [];
  for (const { unit, newer } of view.list('unit-state'))
    if (newer) told.push({ kind: 'unit-state', id: unit });
  for (const { id, unknownUnits, endedUnits } of view.list('machine'))
    if (unknownUnits ?? endedUnits) told.push({ kind: 'machine', id });
  for (const { id, attached, attachment } of view.list('storage'))
    if (attached && attachment?.life === 'alive') told.push({ kind: 'storage', id });
  for (let from = 0; from < told.length; from += batch)
    await store.change((root) => settleUnits(root.in(modelUuid), told.slice(from, from + batch)), by);
  await store.change((root) => endRestore(root.in(modelUuid)), by);
}
