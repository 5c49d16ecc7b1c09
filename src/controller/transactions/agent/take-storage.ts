import { missingStorage } from '../../../core/storage/check-storage-change.ts';
import { storageSpecs } from '../../../core/storage/spec.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { countOf, makeStorage } from '../begin/add-storage.ts';
import { mustGet, type Tx } from '../tx.ts';

/** Gives a unit that takes another charm the storage that only this charm asks for (refresh.md#refreshed-storage). */
export function takeStorage(tx: Tx, unit: UnitDoc, charmUrl: string): void {
  if (unit.life !== 'alive') return;
  const { storage: wishes = {} } = mustGet(tx, 'application', unit.application);
  const before = storageSpecs(tx.get('charm', unit.charmUrl)?.meta.storage ?? {});
  for (const after of Object.values(storageSpecs(mustGet(tx, 'charm', charmUrl).meta.storage))) {
    const wish = Object.hasOwn(wishes, after.name) ? wishes[after.name] : undefined;
    if (!wish) continue;
    const old = Object.hasOwn(before, after.name) ? before[after.name] : undefined;
    const missing = missingStorage({ before: old, after }, wish, countOf(tx, unit.name, after.name));
    if (missing > 0) makeStorage(tx, unit, after, wish, missing);
  }
}
