/**
 * Impediments: everything that still refers to an entity and so blocks its death (lives.md#impediments). All code that
 * asks whether an entity can go asks here: transactions, workers, agents, explain and dry runs. `impediments` lists
 * what blocks; `isImpeded` counts where it can, for loops over many removals. The rules are in `core/<kind>/living.ts`.
 */
import type { EntityRef } from './entity-ref.ts';
import type { Entities } from './kinds.ts';
import { living } from './living.ts';

export interface Impediment {
  readonly kind:
    | 'application'
    | 'attachment'
    | 'container'
    | 'controller'
    | 'machine'
    | 'offer'
    | 'other-side'
    | 'scope'
    | 'storage'
    | 'subordinate'
    | 'unit';
  /** The entity that has to go, or to leave, first; absent where the impediment is no living entity. */
  readonly entity?: EntityRef;
  /** A sentence for people, without a full stop. */
  readonly text: string;
}

/** A view of documents. The store's Reader<Entities>, in the entity's model, is one. */
export interface Refs<Documents = Entities> {
  get<P extends KindIn<Documents>>(kind: P, id: string): Documents[P] | undefined;
  list<P extends KindIn<Documents>>(kind: P): Iterable<Documents[P]>;
  find<P extends KindIn<Documents>>(kind: P, index: string, value: string): Iterable<Documents[P]>;
  /** The number of documents that `find`, or `list`, would return. */
  count(kind: KindIn<Documents>, index?: string, value?: string): number;
}
export type KindIn<Documents> = Extract<keyof Documents, string>;

/** The kinds of documents that these rules read: no more than an agent receives. */
export interface Referring {
  readonly application: Pick<Entities['application'], 'name' | 'life'>;
  readonly unit: Pick<Entities['unit'], 'name' | 'application' | 'life' | 'principal'>;
  readonly machine: Pick<Entities['machine'], 'id' | 'isController'>;
  readonly relation: Pick<Entities['relation'], 'id' | 'key' | 'remote'>;
  readonly scope: Pick<Entities['scope'], 'relation' | 'unit'>;
  readonly storage: Pick<Entities['storage'], 'id' | 'detachable' | 'instance'>;
  readonly offer: Pick<Entities['offer'], 'name'>;
}

/** All impediments, or the first `most` of them. An entity that does not exist has none. */
export function impediments(entity: EntityRef, refs: Refs<Referring>, most = Infinity): Impediment[] {
  const found: Impediment[] = [];
  for (const impediment of living[entity.kind].impediments(entity.id, refs)) {
    if (found.length >= most) break;
    found.push(impediment);
  }
  return found;
}

/** Whether any impediment exists. Counts where it can, as a removal of many entities asks at each step. */
export function isImpeded({ kind, id }: EntityRef, refs: Refs<Referring>): boolean {
  if ((living[kind].count?.(id, refs) ?? 0) > 0) return true;
  return impediments({ kind, id }, refs, 1).length > 0;
}

/** Models that the controller waits for: all but its own. `controller` reads the controller's space. */
export function controllerImpediments(controller: Refs, most = Infinity): EntityRef[] {
  const own = controller.get('controller', 'self')?.modelUuid;
  const hosted: EntityRef[] = [];
  for (const { uuid } of controller.list('model')) {
    if (hosted.length >= most) break;
    if (uuid !== own) hosted.push({ kind: 'model', id: uuid });
  }
  return hosted;
}

/**
 * Whether units that wait for their requirements are to be placed on the machine, or in a container on it; until then
 * the machine is not removed with its last unit.
 */
export function isAwaited(refs: Pick<Refs<Pick<Entities, 'unit'>>, 'count'>, machine: string): boolean {
  return refs.count('unit', 'named', machine) > 0;
}

/**
 * Whether an application still uses the charm, itself or by a unit that has not left it yet, or the apply of a model
 * file is to give it to one.
 */
export function isCharmImpeded(refs: Refs, url: string): boolean {
  return refs.count('application', 'charm', url) > 0 || refs.count('model-file', 'charm', url) > 0;
}
