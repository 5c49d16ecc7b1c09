/** Size of a status: what is long beyond measure is cut, so that a status can always be shown (status.md#cut). */
import { jsonLength } from '../../../../core/json-bytes.ts';
import { limits } from '../../../../core/limits.ts';
import type { Status } from '../../../../core/status.ts';

/** Characters of an entity that are not counted: nearly all have fewer. */
const usual = 2_000;
/** Sizes of what is cut: characters of a text, and entries of a list or a map. */
const cutText = 200;
const cutEntries = 20;

/** Members in which there are entities of their own. */
const entities = new Set(['containers', 'subordinates', 'units']);

/** Cuts entities while a status is made. */
export class Details {
  #used = 0;
  #cutCount = 0;

  /**
   * Returns the entity, with shorter texts, lists and maps once the long entities before it fill the answer. `size`:
   * how many characters it has, roughly, without the entities below it.
   */
  of<E extends object>(entity: E, size = sizeOf(entity)): E {
    const { max } = limits.statusDetails;
    if (size <= usual) return entity;
    this.#used += size;
    if (this.#used <= max) return entity;
    this.#cutCount++;
    const members = Object.entries(entity).map(([key, value]) => [
      key,
      isBelow(key) ? value : shortened(value),
    ]);
    return Object.fromEntries(members) as E;
  }

  /** Remark that tells users what is cut; '' when nothing is. */
  get remark(): string {
    return this.#cutCount === 0
      ? ''
      : `status too long: details of ${this.#cutCount} entities are cut; name some of them to see all`;
  }
}

/** Characters of what may be long in a status. */
export function statusSize({ message, data }: Status): number {
  return message.length + (data ? jsonLength(data, limits.statusDetails.max) : 0);
}

function sizeOf(entity: object): number {
  let size = 0;
  for (const [key, value] of Object.entries(entity))
    if (!isBelow(key)) size += jsonLength(value, limits.statusDetails.max);
  return size;
}

function isBelow(key: string): boolean {
  return entities.has(key);
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, cutText);
  if (Array.isArray(value)) return value.slice(0, cutEntries).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, cutEntries);
  return Object.fromEntries(entries.map(([key, one]) => [key, shortened(one)]));
}
