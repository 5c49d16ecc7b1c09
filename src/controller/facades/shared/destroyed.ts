/** Parts of removals' results: what goes with the removed entity (Juju's `info`), and what force skips. */
import { setImmediate } from 'node:timers/promises';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { formatTag, unitTag } from '../../../wire/tags.ts';
import type { View } from '../../transactions/tx.ts';
import { defined } from '../../../core/defined.ts';

interface Tagged {
  readonly tag: string;
}
export interface DestroyedInfo {
  readonly 'destroyed-units'?: readonly Tagged[];
  readonly 'destroyed-storage'?: readonly Tagged[];
  readonly 'detached-storage'?: readonly Tagged[];
}

/** Number of units between two pauses: a few milliseconds of work. */
const chunk = 2000;

/**
 * Entities that go with these units: their subordinates, and their storage when that is wanted or it cannot outlive
 * them.
 */
export async function destroyedWith(
  view: View,
  dyingUnits: Iterable<UnitDoc>,
  { destroyStorage }: { destroyStorage: boolean },
): Promise<DestroyedInfo> {
  const names = new Set<string>();
  const units: Tagged[] = [];
  const destroyed: Tagged[] = [];
  const detached: Tagged[] = [];
  // Units are not looked up in a model without storage, which is the usual case.
  const hasStorage = view.count('storage') > 0;
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    units.push({ tag: unitTag(name) });
    if (!hasStorage) return;
    for (const { id: storage, detachable } of view.find('storage', 'unit', name)) {
      const tag = formatTag({ kind: 'storage', id: storage });
      (detachable && !destroyStorage ? detached : destroyed).push({ tag });
    }
  };
  let count = 0;
  for (const { name } of dyingUnits) {
    if (++count % chunk === 0) await setImmediate();
    add(name);
    if (view.count('unit', 'principal', name) > 0)
      for (const subordinate of view.find('unit', 'principal', name)) add(subordinate.name);
  }
  return {
    ...defined({
      'destroyed-units': units.length > 0 ? units : undefined,
      'destroyed-storage': destroyed.length > 0 ? destroyed : undefined,
      'detached-storage': detached.length > 0 ? detached : undefined,
    }),
  };
}

/** Warnings as results have them; left out when there are none. */
export function warned({ warnings }: { readonly warnings: readonly string[] }): {
  warnings?: readonly string[];
} {
  return warnings.length > 0 ? { warnings } : {};
}
