/**
 * What still refers to an entity and so blocks its death (design §5; domain-facts §1). Whoever asks "can this go?"
 * asks here: transactions, workers, agents, explain and dry-run. `impediments` lists what blocks, `isImpeded` only says
 * whether anything does, without the cost of a list: for what is asked at each step of the removal of many.
 */
import type { Entities } from './kinds.ts';
import type { EntityRef } from './entity-ref.ts';

export interface Impediment {
  readonly kind:
    | 'application'
    | 'attachment'
    | 'container'
    | 'controller'
    | 'machine'
    | 'offer'
    | 'scope'
    | 'subordinate'
    | 'unit';
  /** What has to go, or to leave, first; absent where it has no life of its own. */
  readonly entity?: EntityRef;
  /** A sentence for people, without a full stop. */
  readonly text: string;
}

/** A view of documents. The store's Reader<Entities>, in the entity's model, is one. */
export interface Refs<Documents = Entities> {
  get<P extends KindIn<Documents>>(kind: P, id: string): Documents[P] | undefined;
  list<P extends KindIn<Documents>>(kind: P): Iterable<Documents[P]>;
  find<P extends KindIn<Documents>>(kind: P, index: string, value: string): Iterable<Documents[P]>;
  /** How many `find`, or `list`, would give. */
  count(kind: KindIn<Documents>, index?: string, value?: string): number;
}
export type KindIn<Documents> = Extract<keyof Documents, string>;

/** What these rules read of the documents: not more than an agent is told. */
export interface Referring {
  readonly application: Pick<Entities['application'], 'name' | 'life'>;
  readonly unit: Pick<Entities['unit'], 'name' | 'application' | 'life' | 'principal'>;
  readonly machine: Pick<Entities['machine'], 'id' | 'isController'>;
  readonly relation: Pick<Entities['relation'], 'id' | 'key'>;
  readonly scope: Pick<Entities['scope'], 'relation' | 'unit'>;
  readonly 'storage-attachment': Pick<Entities['storage-attachment'], 'storage' | 'detachable'>;
  readonly offer: Pick<Entities['offer'], 'name' | 'connections'>;
}

/** All that blocks, or the first `most` of it. An entity that is not there has none. */
export function impediments(entity: EntityRef, refs: Refs<Referring>, most = Infinity): Impediment[] {
  const found: Impediment[] = [];
  for (const impediment of rules[entity.kind](entity.id, refs)) {
    if (found.length >= most) break;
    found.push(impediment);
  }
  return found;
}

export function isImpeded({ kind, id }: EntityRef, refs: Refs<Referring>): boolean {
  switch (kind) {
    case 'application':
      if (refs.count('unit', 'application', id) > 0) return true;
      break;
    case 'relation':
      return refs.count('scope', 'relation', id) > 0;
    case 'model':
      return refs.count('application') + refs.count('unit') + refs.count('machine') > 0;
    case 'machine':
    case 'unit':
      break;
  }
  return impediments({ kind, id }, refs, 1).length > 0;
}

const rules: Record<EntityRef['kind'], (id: string, refs: Refs<Referring>) => Iterable<Impediment>> = {
  unit: unitImpediments,
  machine: machineImpediments,
  application: applicationImpediments,
  relation: relationImpediments,
  model: modelImpediments,
};

/** A unit waits for its subordinates to be gone, until it has left the scope of each relation, and for its storage. */
function* unitImpediments(unit: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const { name } of refs.find('unit', 'principal', unit))
    yield {
      kind: 'subordinate',
      entity: { kind: 'unit', id: name },
      text: `unit "${unit}" has subordinate "${name}"`,
    };
  for (const { relation } of refs.find('scope', 'unit', unit)) {
    const key = refs.get('relation', relation)?.key ?? relation;
    yield {
      kind: 'scope',
      entity: { kind: 'relation', id: relation },
      text: `unit "${unit}" is in the scope of relation "${key}"`,
    };
  }
  for (const { storage } of refs.find('storage-attachment', 'unit', unit))
    yield { kind: 'attachment', text: `unit "${unit}" has storage "${storage}" attached` };
}

/**
 * A machine waits for its units and containers to be gone, and for storage that outlives it to be detached; one that
 * runs the controller never goes. Subordinates are not named: they are their principal's impediment.
 */
function* machineImpediments(machine: string, refs: Refs<Referring>): Iterable<Impediment> {
  if (refs.get('machine', machine)?.isController)
    yield { kind: 'controller', text: `machine ${machine} runs the only controller` };
  for (const { name, principal } of refs.find('unit', 'machine', machine))
    if (principal === undefined)
      yield {
        kind: 'unit',
        entity: { kind: 'unit', id: name },
        text: `machine ${machine} has unit "${name}" assigned`,
      };
  for (const { id } of refs.find('machine', 'parent', machine))
    yield {
      kind: 'container',
      entity: { kind: 'machine', id },
      text: `machine ${machine} is hosting container "${id}"`,
    };
  for (const { storage, detachable } of refs.find('storage-attachment', 'machine', machine))
    if (detachable)
      yield { kind: 'attachment', text: `machine ${machine} has storage "${storage}" attached` };
}

/**
 * An application waits for its units to be gone, for its offers to have no user, and for its relations to be empty:
 * an empty relation goes together with the application, and one that other applications' units are in goes when they
 * left.
 */
function* applicationImpediments(application: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const { name } of refs.find('unit', 'application', application))
    yield {
      kind: 'unit',
      entity: { kind: 'unit', id: name },
      text: `application "${application}" has unit "${name}"`,
    };
  for (const { name, connections } of refs.find('offer', 'application', application))
    if (connections.length > 0)
      yield { kind: 'offer', text: `application "${application}" is used through offer "${name}"` };
  for (const { id } of refs.find('relation', 'application', application))
    yield* relationImpediments(String(id), refs);
}

/** A relation waits until every unit has left its scope. */
function* relationImpediments(relation: string, refs: Refs<Referring>): Iterable<Impediment> {
  const key = refs.get('relation', relation)?.key ?? relation;
  for (const { unit } of refs.find('scope', 'relation', relation))
    yield {
      kind: 'scope',
      entity: { kind: 'unit', id: unit },
      text: `unit "${unit}" is in the scope of relation "${key}"`,
    };
}

/** A model waits until no application, unit or machine is in it. */
function* modelImpediments(_uuid: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const { name } of refs.list('application'))
    yield {
      kind: 'application',
      entity: { kind: 'application', id: name },
      text: `model has application "${name}"`,
    };
  for (const { id } of refs.list('machine'))
    yield { kind: 'machine', entity: { kind: 'machine', id }, text: `model has machine ${id}` };
  for (const { name } of refs.list('unit'))
    if (refs.count('application') === 0)
      yield { kind: 'unit', entity: { kind: 'unit', id: name }, text: `model has unit "${name}"` };
}

/**
 * Those impediments of a machine that `remove-machine` refuses for: units that are on their way out, or whose
 * application is, only make it wait.
 */
export function machineRemovalImpediments(refs: Refs<Referring>, machine: string): Impediment[] {
  return impediments({ kind: 'machine', id: machine }, refs).filter(({ kind, entity }) => {
    if (kind === 'attachment') return false;
    if (kind !== 'unit' || !entity) return true;
    const unit = refs.get('unit', entity.id);
    return unit?.life === 'alive' && refs.get('application', unit.application)?.life === 'alive';
  });
}

/** A controller waits for every model but its own to be gone. `controller` reads the controller's space. */
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
 * Units that wait for their requirements and are to be placed on the machine, or in a container on it: it does not go
 * with its last unit while there are such.
 */
export function isAwaited(refs: Pick<Refs<Pick<Entities, 'unit'>>, 'count'>, machine: string): boolean {
  return refs.count('unit', 'named', machine) > 0;
}

/** A charm stays as long as an application or a unit runs it. */
export function isCharmImpeded(refs: Refs, url: string): boolean {
  return refs.count('application', 'charm', url) + refs.count('unit', 'charm', url) > 0;
}
