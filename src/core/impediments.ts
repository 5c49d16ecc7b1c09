/**
 * What still refers to an entity and so blocks its death (design §5; domain-facts §1). Whoever asks "can this go?"
 * asks here. `…Impediments` lists what blocks, at most `most`; `is…Impeded` only says whether anything does, without the
 * cost of a list, for what is asked at each step of the removal of many.
 */
import type { Entities, Kind } from './entities.ts';

export interface Impediment {
  /** What kind of thing refers to it. */
  readonly kind: 'controller' | 'machine' | 'model' | 'scope' | 'subordinate' | 'unit';
  /** Its name. */
  readonly what: string;
  /** A sentence for people, without a full stop. */
  readonly text: string;
}

/** What these rules read: the store's Reader<Entities> is one. */
export interface Refs {
  get<P extends Kind>(kind: P, id: string): Entities[P] | undefined;
  list<P extends Kind>(kind: P): Iterable<Entities[P]>;
  find<P extends Kind>(kind: P, index: string, value: string): Iterable<Entities[P]>;
  /** How many `find`, or `list`, would give. */
  count(kind: Kind, index?: string, value?: string): number;
}

/** A unit waits for its subordinates to be gone, and until it has left the scope of each relation. */
export function unitImpediments(refs: Refs, unit: string, most = Infinity): Impediment[] {
  return take(most, function* () {
    for (const { name } of refs.find('unit', 'principal', unit))
      yield { kind: 'subordinate', what: name, text: `unit "${unit}" has subordinate "${name}"` };
    for (const { relation } of refs.find('scope', 'unit', unit)) {
      const key = refs.get('relation', relation)?.key ?? relation;
      yield { kind: 'scope', what: key, text: `unit "${unit}" is in the scope of relation "${key}"` };
    }
  });
}

/**
 * A machine waits for its units and containers to be gone; one that runs the controller never goes. Subordinates are
 * not named: they are their principal's impediment.
 */
export function machineImpediments(refs: Refs, machine: string, most = Infinity): Impediment[] {
  return take(most, function* () {
    if (refs.get('machine', machine)?.isController)
      yield { kind: 'controller', what: machine, text: `machine ${machine} runs the controller` };
    for (const { name, principal } of refs.find('unit', 'machine', machine))
      if (principal === undefined)
        yield { kind: 'unit', what: name, text: `machine ${machine} has unit "${name}" assigned` };
    for (const { id } of refs.find('machine', 'parent', machine))
      yield { kind: 'machine', what: id, text: `machine ${machine} is hosting container "${id}"` };
  });
}

/**
 * Those impediments of a machine that `remove-machine` refuses for: units that are on their way out, or whose
 * application is, only make it wait.
 */
export function machineRemovalImpediments(refs: Refs, machine: string): Impediment[] {
  return machineImpediments(refs, machine).filter(({ kind, what }) => {
    if (kind !== 'unit') return true;
    const unit = refs.get('unit', what);
    return unit?.life === 'alive' && refs.get('application', unit.application)?.life === 'alive';
  });
}

/**
 * An application waits for its units to be gone and for its relations to be empty: an empty relation goes together
 * with the application, and one that other applications' units are in goes when they left.
 */
export function applicationImpediments(refs: Refs, application: string, most = Infinity): Impediment[] {
  return take(most, function* () {
    for (const { name } of refs.find('unit', 'application', application))
      yield { kind: 'unit', what: name, text: `application "${application}" has unit "${name}"` };
    for (const { id } of refs.find('relation', 'application', application))
      yield* relationImpediments(refs, String(id), most);
  });
}

export function isApplicationImpeded(refs: Refs, application: string): boolean {
  if (refs.count('unit', 'application', application) > 0) return true;
  for (const { id } of refs.find('relation', 'application', application))
    if (isRelationImpeded(refs, String(id))) return true;
  return false;
}

/** A relation waits until every unit has left its scope. */
export function relationImpediments(refs: Refs, relation: string, most = Infinity): Impediment[] {
  return take(most, function* () {
    const key = refs.get('relation', relation)?.key ?? relation;
    for (const { unit } of refs.find('scope', 'relation', relation))
      yield { kind: 'scope', what: unit, text: `unit "${unit}" is in the scope of relation "${key}"` };
  });
}

export function isRelationImpeded(refs: Refs, relation: string): boolean {
  return refs.count('scope', 'relation', relation) > 0;
}

/** A model waits until no application, unit or machine is in it. `model` reads the model's space. */
export function isModelImpeded(model: Refs): boolean {
  return model.count('application') + model.count('unit') + model.count('machine') > 0;
}

/** A controller waits for every model but its own to be gone. `controller` reads the controller's space. */
export function controllerImpediments(controller: Refs, most = Infinity): Impediment[] {
  return take(most, function* () {
    const own = controller.get('controller', 'self')?.modelUuid;
    for (const { uuid, owner, name } of controller.list('model'))
      if (uuid !== own) yield { kind: 'model', what: uuid, text: `controller has model "${owner}/${name}"` };
  });
}

/** A charm stays as long as an application or a unit runs it. */
export function isCharmImpeded(refs: Refs, url: string): boolean {
  return refs.count('application', 'charm', url) + refs.count('unit', 'charm', url) > 0;
}

function take(most: number, all: () => Iterable<Impediment>): Impediment[] {
  const taken: Impediment[] = [];
  for (const impediment of all()) {
    if (taken.length >= most) break;
    taken.push(impediment);
  }
  return taken;
}
