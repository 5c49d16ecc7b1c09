/** References between entities of a model, found by reading every document without an index. */
import type { Entities } from '../core/kinds.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import type { Reader } from '../store/store.ts';

type View = Reader<Entities>;

/** Entity → entities that refer to it, by kind. */
export interface References {
  readonly subordinates: ReadonlyMap<string, readonly string[]>;
  readonly unitsOf: ReadonlyMap<string, readonly UnitDoc[]>;
  readonly principalsOn: ReadonlyMap<string, readonly string[]>;
  readonly containersOn: ReadonlyMap<string, readonly string[]>;
  readonly relationsOf: ReadonlyMap<string, readonly string[]>;
  readonly scopesOfUnit: ReadonlyMap<string, readonly string[]>;
  /** Units of this model, and the other model's notice of the end, that each relation waits for. */
  readonly holdersOfRelation: ReadonlyMap<string, readonly string[]>;
  readonly scopesOfRelation: ReadonlyMap<string, readonly string[]>;
  readonly storageOfUnit: ReadonlyMap<string, readonly string[]>;
  readonly lastingStorageOn: ReadonlyMap<string, readonly string[]>;
  readonly usedOffersOf: ReadonlyMap<string, readonly string[]>;
}

export function collectReferences(view: View): References {
  const units = [...view.list('unit')];
  const scopes = [...view.list('scope')];
  const untold = [...view.list('relation')].filter(
    ({ remote }) => remote?.consumed && remote.consumed.state !== 'told',
  );
  const attachments = [...view.list('storage')];
  return {
    subordinates: group(
      units,
      (one) => [one.principal],
      (one) => one.name,
    ),
    unitsOf: group(
      units,
      (one) => [one.application],
      (one) => one,
    ),
    principalsOn: group(
      units.filter((one) => one.principal === undefined),
      (one) => [one.machine],
      (one) => one.name,
    ),
    containersOn: group(
      view.list('machine'),
      (one) => [one.parent],
      (one) => one.id,
    ),
    relationsOf: group(
      view.list('relation'),
      (one) => new Set(one.endpoints.map(({ application }) => application)),
      (one) => String(one.id),
    ),
    scopesOfUnit: group(
      scopes,
      (one) => [one.unit],
      (one) => one.relation,
    ),
    holdersOfRelation: group(
      [
        ...scopes.filter(({ remote }) => !remote).map(({ relation, unit }) => [relation, unit] as const),
        ...untold.map(({ id }) => [String(id), 'the other model'] as const),
      ],
      ([relation]) => [relation],
      ([, holder]) => holder,
    ),
    scopesOfRelation: group(
      scopes,
      (one) => [one.relation],
      (one) => one.unit,
    ),
    storageOfUnit: group(
      attachments,
      (one) => [one.attachment?.unit],
      (one) => one.id,
    ),
    lastingStorageOn: group(
      attachments.filter((one) => one.detachable && one.instance !== undefined),
      (one) => [one.machine],
      (one) => one.id,
    ),
    usedOffersOf: group(
      [...view.list('offer')].filter(({ name }) => view.count('relation', 'offer', name) > 0),
      (one) => [one.application],
      (one) => one.name,
    ),
  };
}

/** Whether an alive relation puts subordinates of one application beside units of the other. */
export function areInContainer(view: View, one: string, other: string): boolean {
  return [...view.list('relation')].some(
    ({ life, endpoints }) =>
      life === 'alive' &&
      endpoints[0]?.scope === 'container' &&
      [one, other].every((name) => endpoints.some(({ application }) => application === name)),
  );
}

function group<T, V>(
  all: Iterable<T>,
  keys: (one: T) => Iterable<string | undefined>,
  value: (one: T) => V,
): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const one of all)
    for (const key of keys(one)) {
      if (key === undefined) continue;
      const found = groups.get(key);
      if (found) found.push(value(one));
      else groups.set(key, [value(one)]);
    }
  return groups;
}
