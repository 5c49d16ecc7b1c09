/** Storage of a charm that takes the place of another one (refresh.md#refreshed-storage). */
import { JujuError } from '../errors.ts';
import type { StorageWish } from './check-storage.ts';
import type { StorageSpec } from './spec.ts';

type Specs = Readonly<Record<string, StorageSpec>>;

/** Members that the storage of a running unit depends on. */
const fixed = ['type', 'shared', 'readOnly', 'location'] as const;

/**
 * Refuses a charm that cannot go on with the storage that units have. `isUsed`: whether a unit of the application has
 * storage of that name; absent where that is not known. Errors: '', with Juju's texts.
 */
export function checkStorageChange(
  before: Specs,
  after: Specs,
  isUsed: (name: string) => boolean = () => false,
): void {
  for (const old of Object.values(before)) {
    const { name } = old;
    if (Object.hasOwn(after, name)) checkKept(old, after[name]!);
    else if (old.min > 0) throw refusal(`required storage "${name}" removed`);
    else if (isUsed(name)) throw refusal(`in-use storage "${name}" removed`);
  }
}

function checkKept(old: StorageSpec, now: StorageSpec): void {
  const existing = `existing storage "${old.name}"`;
  for (const member of fixed) {
    if (old[member] === now[member]) continue;
    const word = member === 'readOnly' ? 'read-only' : member;
    throw refusal(`${existing} ${word} changed from ${show(old[member])} to ${show(now[member])}`);
  }
  if (now.max < old.max)
    throw refusal(
      `${existing} range contracted: max decreased from ${old.max === Infinity ? '<unbounded>' : old.max} to ${now.max}`,
    );
  // A single storage is at the location itself, each of several is in a folder of its own.
  if (old.location !== '' && old.max === 1 && now.max !== 1)
    throw refusal(`${existing} with location changed from single to multiple`);
}

/**
 * Number of storages that a unit gets when it takes the charm: all of a storage that its charm before lacked, and the
 * number that a raised minimum asks for. `present`: how many the unit has.
 */
export function missingStorage(
  { before, after }: { readonly before: StorageSpec | undefined; readonly after: StorageSpec },
  wish: Pick<StorageWish, 'count'>,
  present: number,
): number {
  return Math.max((before ? after.min : wish.count) - present, 0);
}

function show(value: string | boolean): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function refusal(message: string): JujuError {
  return new JujuError('', message);
}
