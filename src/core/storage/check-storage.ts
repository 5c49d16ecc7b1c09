/** Storage that an application's units get: its directives completed and checked (storage.md#defaults). */
import { JujuError, notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';
import { showSize, type StorageDirective } from './directive.ts';
import { defaultPools, type StorageProvider } from './providers.ts';
import type { StorageSpec } from './spec.ts';

/** A completed directive. */
export interface StorageWish {
  readonly pool: string;
  readonly provider: string;
  readonly detachable: boolean;
  readonly size: number;
  readonly count: number;
}
export type StorageWishes = Readonly<Record<string, StorageWish>>;

/** Size in MiB of a storage for which neither the charm nor the user asks for one. */
const defaultSize = 1024;

export interface Pools {
  /** The provider of a pool. */
  provider(pool: string): StorageProvider | undefined;
  /** The pool for storage that was asked for without one, where the model names one. */
  readonly preferred?: Partial<Readonly<Record<'filesystem' | 'block', string>>>;
}

/**
 * Completes the directives of a deploy or a refresh and checks them. `kept`: the directives that the application has,
 * which stay where no new one is given, raised to what the charm asks for now. Errors: `not valid` (unknown storage,
 * counts, sizes); `not found` (pool); `not supported` (what no provider makes); `quota limit exceeded` (all storages of
 * a unit).
 */
export function checkStorage(
  specs: Readonly<Record<string, StorageSpec>>,
  directives: Readonly<Record<string, StorageDirective>>,
  pools: Pools,
  kept: StorageWishes = {},
): StorageWishes {
  checkStorageNames(specs, directives);
  const wishes: Record<string, StorageWish> = {};
  for (const spec of Object.values(specs)) {
    const directive = Object.hasOwn(directives, spec.name) ? directives[spec.name] : undefined;
    const before = Object.hasOwn(kept, spec.name) ? kept[spec.name] : undefined;
    wishes[spec.name] = before && !directive ? raised(before, spec) : complete(spec, directive, pools);
  }
  checkLimit(limits.storagesOfNewUnit, storagesOf(wishes));
  return wishes;
}

/** Number of storages that a new unit gets. */
export function storagesOf(wishes: Readonly<Record<string, Pick<StorageWish, 'count'>>>): number {
  return Object.values(wishes).reduce((sum, { count }) => sum + count, 0);
}

/** The counts of the directives of a deploy, before they are checked. */
export function wantedCounts(
  specs: Readonly<Record<string, StorageSpec>>,
  directives: Readonly<Record<string, StorageDirective>> = {},
): Record<string, Pick<StorageWish, 'count'>> {
  return Object.fromEntries(
    Object.values(specs).map((spec) => {
      const directive = Object.hasOwn(directives, spec.name) ? directives[spec.name] : undefined;
      return [spec.name, { count: countOf(spec, directive) }];
    }),
  );
}

function countOf({ min }: StorageSpec, directive: StorageDirective | undefined): number {
  return directive?.count ?? (directive ? Math.max(min, 1) : min);
}

/** Checks the names in directives. Errors: `not valid` for a directive of a storage that the charm does not declare. */
export function checkStorageNames(
  specs: Readonly<Record<string, unknown>>,
  directives: Readonly<Record<string, StorageDirective>>,
): void {
  for (const name of Object.keys(directives))
    if (!Object.hasOwn(specs, name)) throw notValid(`the charm has no storage "${name}"`);
}

function raised(wish: StorageWish, { min, minimumSize }: StorageSpec): StorageWish {
  return { ...wish, count: Math.max(wish.count, min), size: Math.max(wish.size, minimumSize) };
}

function complete(spec: StorageSpec, directive: StorageDirective | undefined, pools: Pools): StorageWish {
  const count = countOf(spec, directive);
  const size = directive?.size ?? (spec.minimumSize || defaultSize);
  // Without any directive a storage is where it always can be; the model's choice is for those who ask for storage.
  const pool = directive?.pool ?? (directive && pools.preferred?.[spec.type]) ?? defaultPools[spec.type];
  checkCount(spec, count);
  if (size < spec.minimumSize)
    throw notValid(
      `storage "${spec.name}" needs at least ${showSize(spec.minimumSize)}, got ${showSize(size)}`,
    );
  const isWanted = count > 0 || directive !== undefined;
  const provider = isWanted ? checkPool(spec, pool, pools) : pools.provider(pool);
  return { pool, provider: provider?.type ?? pool, detachable: provider?.detachable ?? false, size, count };
}

/** Checks the number of storages that a directive asks for. Errors: `not valid`. */
export function checkCount({ name, min, max }: StorageSpec, count: number): void {
  if (count < min)
    throw notValid(`storage "${name}": ${min} instance${min === 1 ? '' : 's'} required, got ${count}`);
  if (count > max && max === 1) throw notValid(`storage "${name}" is singular, got ${count}`);
  if (count > max) throw notValid(`storage "${name}": at most ${max} instances supported, got ${count}`);
  if (count > limits.storagesOfUnit.max)
    throw notValid(
      `storage "${name}": at most ${limits.storagesOfUnit.max} instances per unit, got ${count}`,
    );
}

/** Checks that the pool can make the storage. Errors: `not found`, `not supported`. */
export function checkPool(spec: StorageSpec, pool: string, pools: Pools): StorageProvider {
  if (spec.shared)
    throw new JujuError('not supported', `storage "${spec.name}" is shared, which is not supported`);
  const provider = pools.provider(pool);
  if (!provider) throw new JujuError('not found', `pool "${pool}" not found`);
  if (!provider.kinds.includes(spec.type))
    throw new JujuError(
      'not supported',
      `storage "${spec.name}" is of type ${spec.type}, which pool "${pool}" (${provider.type}) does not make`,
    );
  checkMakes(spec.name, pool, provider);
  return provider;
}

/** Checks that storage of the pool can be made here. Errors: `not supported`. */
export function checkMakes(name: string, pool: string, provider: StorageProvider | undefined): void {
  if (provider?.refusal === undefined) return;
  throw new JujuError('not supported', `storage "${name}" cannot be of pool "${pool}": ${provider.refusal}`);
}
