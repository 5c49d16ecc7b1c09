import { scopeId } from '../core/scope/document.ts';
import { indexes } from '../core/documents.ts';
import type { KindIn, Referring, Refs } from '../core/impediments.ts';
import type { Mirror } from './mirror.ts';

type Index = (doc: object) => string | readonly string[] | undefined;

/**
 * References between the documents that an agent knows, for core's rules about impediments. Offers are not
 * mirrored: where they are in the way, the controller refuses.
 */
export function mirrorRefs(mirror: Mirror, machineId: string): Refs<Referring> {
  const documents: { readonly [P in KindIn<Referring>]: () => Iterable<readonly [string, Referring[P]]> } = {
    application: () => [],
    *machine() {
      if (mirror.machine()) yield [machineId, { id: machineId, isController: false }];
      for (const { id } of mirror.containers()) yield [id, { id, isController: false, parent: machineId }];
    },
    offer: () => [],
    *relation() {
      for (const { id, key } of mirror.relations()) yield [String(id), { id, key }];
    },
    *scope() {
      for (const { id } of mirror.relations())
        for (const { unit } of mirror.members(id))
          yield [scopeId({ relation: id, unit }), { relation: String(id), unit }];
    },
    *storage() {
      for (const { id, unit, ...record } of mirror.storages()) {
        const attachment = unit === undefined ? {} : { attachment: { unit } };
        yield [id, { id, machine: machineId, ...record, ...attachment }];
      }
    },
    *unit() {
      for (const [name, { application, life, principal }] of mirror.units()) {
        const ofPrincipal = principal === '' ? {} : { principal };
        yield [name, { name, application, life, machine: machineId, ...ofPrincipal }];
      }
    },
  };
  const list = <P extends KindIn<Referring>>(kind: P): Referring[P][] =>
    [...documents[kind]()].map(([, doc]) => doc);
  const find: Refs<Referring>['find'] = (kind, index, value) => {
    const of = (indexes[kind] as Readonly<Record<string, Index>>)[index];
    return list(kind).filter((doc) => [of?.(doc)].flat().includes(value));
  };
  return {
    get: (kind, id) => new Map(documents[kind]()).get(id),
    list,
    find,
    count: (kind, index, value = '') =>
      (index === undefined ? list(kind) : [...find(kind, index, value)]).length,
  };
}
