/** Storage of units: made with the unit, by add-storage and by hooks, or taken over from another unit. */
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { checkMakes, checkPool, type Pools, type StorageWish } from '../../../core/storage/check-storage.ts';
import type { StorageDirective } from '../../../core/storage/directive.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import { defaultPools, makesDisks, type StorageProvider } from '../../../core/storage/providers.ts';
import { checkIsFree, checkMayAttach, locationOf } from '../../../core/storage/rules.ts';
import { storageSpecOf, type StorageSpec } from '../../../core/storage/spec.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { refuseOnContainer } from './storage-in-containers.ts';
import { mustGet, takeNumbers, type Tx, type View } from '../tx.ts';

type ItsUnit = Pick<UnitDoc, 'name' | 'machine'>;

/**
 * Makes the storage that a new unit gets by its application's directives, beside the storage that it takes over.
 * Errors: `not supported`, for storage that none of `providers` makes any more.
 */
export function addUnitStorage(
  tx: Tx,
  unit: UnitDoc,
  application: Pick<ApplicationDoc, 'storage' | 'charmUrl'>,
  { attach = [], providers = [] }: { attach?: readonly string[]; providers?: StorageRules['providers'] } = {},
): void {
  for (const id of attach) takeOver(tx, unit, id);
  for (const [name, wish] of Object.entries(application.storage ?? {})) {
    const count = wish.count - attach.filter((id) => mustGetStorage(tx, id).name === name).length;
    if (count <= 0) continue;
    checkMakes(
      name,
      wish.pool,
      providers.find(({ type }) => type === wish.provider),
    );
    makeStorage(tx, unit, specOf(tx, application.charmUrl, name), wish, count);
  }
}

/** Places the unit's storage on the unit's machine. */
export function placeStorage(tx: Tx, { name, machine }: ItsUnit): void {
  if (machine === undefined || tx.count('storage') === 0) return;
  for (const doc of tx.find('storage', 'unit', name))
    if (doc.machine === undefined) tx.put('storage', doc.id, onMachine(doc, machine));
}

/** Adds storage to an existing unit. Errors: `not found`, `not valid` (counts), '' (dying unit). */
export function addStorage(
  tx: Tx,
  args: { unit: string; name: string; directive: StorageDirective; pools?: Pools },
): string[] {
  const unit = aliveUnit(tx, args.unit);
  const { count = 1, pool, size } = args.directive;
  const spec = specOf(tx, unit.charmUrl, args.name);
  checkMayAttach(spec, countOf(tx, unit.name, args.name), count);
  const usual = mustGet(tx, 'application', unit.application).storage?.[args.name];
  const usualPool = usual?.pool ?? defaultPools[spec.type];
  const provider =
    args.pools && (pool !== undefined || !usual) ? checkPool(spec, pool ?? usualPool, args.pools) : undefined;
  if (!provider && usual) checkMakes(spec.name, usualPool, args.pools?.provider(usual.provider));
  const wish: StorageWish = {
    pool: pool ?? usualPool,
    provider: provider?.type ?? usual?.provider ?? usualPool,
    detachable: provider?.detachable ?? usual?.detachable ?? false,
    size: Math.max(size ?? usual?.size ?? 1024, spec.minimumSize),
    count,
  };
  refuseOnContainer(unit, wish);
  return makeStorage(tx, unit, spec, wish, count);
}

/**
 * attach-storage: nothing changes when the unit has the storage already. Errors: `not found`, `not valid` (the unit has
 * enough), '' (used or going elsewhere).
 */
export function attachStorage(tx: Tx, args: { storage: string; unit: string }): void {
  const unit = aliveUnit(tx, args.unit);
  const { attachment } = mustGetStorage(tx, args.storage);
  if (attachment?.unit === unit.name && attachment.life === 'alive') return;
  takeOver(tx, unit, args.storage);
}

/** Number of storages of this name that the unit has, those that are being detached included. */
export function countOf(view: View, unit: string, name: string): number {
  let count = 0;
  for (const doc of view.find('storage', 'unit', unit)) if (doc.name === name) count++;
  return count;
}

/** Finds a storage. Errors: `storage "data/0" not found`. */
export function mustGetStorage(view: View, id: string): StorageDoc {
  const doc = view.get('storage', id);
  if (!doc) throw notFound('storage', id);
  return doc;
}

/** The storage as the unit's charm declares it. Errors: `not found`. */
export function specOf(view: View, charmUrl: string, name: string): StorageSpec {
  const { meta } = mustGet(view, 'charm', charmUrl);
  const spec = storageSpecOf(meta.storage, name);
  if (!spec) throw new JujuError('not found', `charm "${meta.name}" has no storage called "${name}"`);
  return spec;
}

function takeOver(tx: Tx, unit: UnitDoc, id: string): void {
  const doc = mustGetStorage(tx, id);
  const spec = specOf(tx, unit.charmUrl, doc.name);
  checkIsFree(doc, unit.name);
  if (spec.type !== doc.type)
    throw new JujuError(
      '',
      `storage "${id}" is of type ${doc.type}, and charm storage "${spec.name}" is not`,
    );
  if (!doc.detachable && doc.machine !== unit.machine)
    throw new JujuError('', `storage "${id}" is on machine ${doc.machine}, and unit "${unit.name}" is not`);
  checkMayAttach(spec, countOf(tx, unit.name, spec.name));
  refuseOnContainer(unit, doc);
  const attached = { ...doc, attachment: attachmentOf(unit.name, spec, id), since: tx.now };
  tx.put('storage', id, unit.machine === undefined ? attached : onMachine(attached, unit.machine));
}

/** Makes storage for the unit; returns its ids. */
export function makeStorage(
  tx: Tx,
  unit: ItsUnit,
  spec: StorageSpec,
  wish: StorageWish,
  count: number,
): string[] {
  const first = takeNumbers(tx, 'storage', count);
  const isDisk = spec.type === 'block';
  const number = takeNumbers(tx, isDisk ? 'volume' : 'filesystem', count);
  const below = !isDisk && makesDisks(wish.provider) ? takeNumbers(tx, 'volume', count) : undefined;
  return Array.from({ length: count }, (_, n) => {
    const id = `${spec.name}/${first + n}`;
    const doc: StorageDoc = {
      id,
      name: spec.name,
      type: spec.type,
      pool: wish.pool,
      provider: wish.provider,
      attributes: { ...tx.get('storage-pool', wish.pool)?.attributes },
      size: wish.size,
      number: String(number + n),
      ...(below !== undefined && { volume: String(below + n) }),
      detachable: wish.detachable,
      attachment: attachmentOf(unit.name, spec, id),
      createdAt: tx.now,
      since: tx.now,
    };
    tx.put('storage', id, unit.machine === undefined ? doc : onMachine(doc, unit.machine));
    return id;
  });
}

function attachmentOf(unit: string, spec: StorageSpec, id: string): NonNullable<StorageDoc['attachment']> {
  return { unit, life: 'alive', location: locationOf(spec, id), readOnly: spec.readOnly };
}

/** The storage on a machine, which numbers what it holds itself. */
function onMachine(doc: StorageDoc, machine: string): StorageDoc {
  if (doc.detachable || doc.machine === machine) return { ...doc, machine };
  const { number, volume } = doc;
  return {
    ...doc,
    machine,
    number: `${machine}/${number}`,
    ...(volume !== undefined && { volume: `${machine}/${volume}` }),
  };
}

function aliveUnit(tx: Tx, name: string): UnitDoc {
  const unit = mustGet(tx, 'unit', name);
  if (unit.life !== 'alive') throw new JujuError('', `unit "${name}" is not alive`);
  return unit;
}

/** Rules of a model's cloud and settings about storage. */
export interface StorageRules {
  readonly providers: readonly StorageProvider[];
  readonly preferred?: Pools['preferred'];
}

/** The pools of a model. */
export function poolsOf(
  view: View,
  providers: readonly StorageProvider[],
  preferred?: Pools['preferred'],
): Pools {
  return {
    provider(pool) {
      const type = view.get('storage-pool', pool)?.provider ?? pool;
      return providers.find((one) => one.type === type);
    },
    ...defined({ preferred }),
  };
}
