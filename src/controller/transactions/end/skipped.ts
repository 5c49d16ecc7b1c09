import { mergedModelConfig } from '../../../core/model/config.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { EntityRef } from '../../../core/entity-ref.ts';
import { machinesOf } from './clear.ts';
import { isDue } from './force.ts';
import type { Tx, View } from '../tx.ts';

/** Maximum number of names in a warning; the others are counted. */
const namedMax = 10;
/** Maximum number of units that are listed at all; beyond it they are only counted. */
const listedMax = 1000;

/**
 * Warnings about what force skips, or will skip at the deadline, to be computed before anything is cleared. Empty
 * without force.
 */
export function forceWarnings(tx: Tx, entity: EntityRef): string[] {
  const doc = entity.kind === 'model' ? tx.in('').get('model', entity.id) : tx.get(entity.kind, entity.id);
  if (!doc?.force) return [];
  const lines = skippedBy(tx, entity);
  if (lines.length === 0 || isDue(tx, doc)) return lines;
  return [`remaining entities are removed at ${doc.force.deadline} without waiting for agents:`, ...lines];
}

/**
 * Warnings about hooks that do not run and instances that stay when the entity is cleared in its present state: one
 * sentence for each kind of thing, bounded in length and cost.
 */
export function skippedBy(view: View, entity: EntityRef): string[] {
  const units = unitsOf(view, entity);
  const machines = machinesIn(view, entity);
  const scopes = scopesOf(view, entity, typeof units === 'number' ? [] : units).filter(
    ({ members }) => members !== 0,
  );
  return [
    ...warning('removed without stop and remove hooks', typeof units === 'number' ? units : running(units)),
    ...scopes
      .slice(0, namedMax)
      .flatMap(({ relation, members }) =>
        warning(`removed from relation "${relation}" without departed and broken hooks`, members),
      ),
    ...warning(
      'removed from further relations without departed and broken hooks',
      scopes.slice(namedMax).map(({ relation }) => relation),
    ),
    ...warning(
      'subordinates removed with them',
      typeof units === 'number' || entity.kind === 'model' ? 0 : subordinatesOf(view, units),
    ),
    ...warning('containers removed with it', entity.kind === 'machine' ? machines.slice(0, -1) : 0),
    ...warning('storage detached', typeof units === 'number' ? 0 : storageOf(view, units)),
    ...warning(
      'instances that are still to be released',
      entity.kind === 'model' && machines.length === 0
        ? view.count('machine')
        : instancesOf(view, machines, entity.kind),
      'machines',
    ),
  ];
}

/**
 * Warnings about units that wait for their requirements and were to be placed on the machine or in a container on it.
 */
export function stuckWarnings(view: View, machine: string): string[] {
  const stuck = machinesOf(view, machine).flatMap((id) => [...view.find('unit', 'named', id)]);
  return warning(
    'waiting units that can no longer be placed on it',
    stuck.map(({ name }) => name),
  );
}

/** Names of things, or the number of things without names. */
type NamesOrCount = readonly string[] | number;

function warning(text: string, items: NamesOrCount, noun = 'units'): string[] {
  if (typeof items === 'number') return items === 0 ? [] : [`${text}: ${items} ${noun}`];
  if (items.length === 0) return [];
  const moreCount = items.length - namedMax;
  return [`${text}: ${items.slice(0, namedMax).join(', ')}${moreCount > 0 ? ` and ${moreCount} more` : ''}`];
}

/**
 * Units of the entity without the subordinates that go with them; only their number when there are too many to list.
 */
function unitsOf(view: View, { kind, id }: EntityRef): readonly UnitDoc[] | number {
  switch (kind) {
    case 'unit': {
      const unit = view.get('unit', id);
      return unit ? [unit] : [];
    }
    case 'machine':
      return machinesOf(view, id)
        .flatMap((machine) => [...view.find('unit', 'machine', machine)])
        .filter(({ principal }) => principal === undefined);
    case 'application': {
      const count = view.count('unit', 'application', id);
      return count > listedMax ? count : [...view.find('unit', 'application', id)];
    }
    case 'model': {
      const count = view.count('unit');
      return count > listedMax ? count : [...view.list('unit')];
    }
    case 'relation':
      return [];
  }
}

/** Names of units whose agents may have hooks to run. */
function running(units: readonly UnitDoc[]): string[] {
  return units.filter(({ deployed, life }) => deployed && life !== 'dead').map(({ name }) => name);
}

function subordinatesOf(view: View, units: readonly UnitDoc[]): string[] {
  return units.flatMap(({ name }) => [...view.find('unit', 'principal', name)].map((one) => one.name));
}

/** Units that would leave a scope, by the relation's key. */
interface Scope {
  readonly relation: string;
  readonly members: NamesOrCount;
}

function scopesOf(view: View, { kind, id }: EntityRef, units: readonly UnitDoc[]): Scope[] {
  switch (kind) {
    case 'unit':
    case 'machine':
      return scopesOfUnits(view, units);
    case 'relation':
      return [scopeOf(view, id)];
    case 'application':
      return [...view.find('relation', 'application', id)].map((one) => scopeOf(view, String(one.id)));
    case 'model':
      return [...view.list('relation')].map((one) => scopeOf(view, String(one.id)));
  }
}

function scopesOfUnits(view: View, units: readonly UnitDoc[]): Scope[] {
  const scopes = units.flatMap(({ name }) => [...view.find('scope', 'unit', name)]);
  return [...Map.groupBy(scopes, ({ relation }) => relation)].map(([relation, members]) => ({
    relation: keyOf(view, relation),
    members: members.map(({ unit }) => unit),
  }));
}

function scopeOf(view: View, relation: string): Scope {
  const count = view.count('scope', 'local', relation);
  return {
    relation: keyOf(view, relation),
    members: count > listedMax ? count : [...view.find('scope', 'local', relation)].map(({ unit }) => unit),
  };
}

function keyOf(view: View, relation: string): string {
  return view.get('relation', relation)?.key ?? relation;
}

function machinesIn(view: View, { kind, id }: EntityRef): string[] {
  switch (kind) {
    case 'machine':
      return machinesOf(view, id);
    case 'model':
      return view.count('machine') <= listedMax ? [...view.list('machine')].map((one) => one.id) : [];
    case 'application':
    case 'relation':
    case 'unit':
      return [];
  }
}

function storageOf(view: View, units: readonly UnitDoc[]): string[] {
  if (view.count('storage') === 0) return [];
  return units.flatMap(({ name }) => [...view.find('storage', 'unit', name)].map(({ id }) => id));
}

/** Instances that are released; the instances of a model are all released with it. */
function instancesOf(view: View, machines: readonly string[], removed: EntityRef['kind']): string[] {
  const { config = {} } = view.in('').get('model', view.space) ?? {};
  if (removed !== 'model' && mergedModelConfig(config)['provisioner-harvest-mode'] === 'none') return [];
  return machines.flatMap((id) => {
    const { instance, keepInstance } = view.get('machine', id) ?? {};
    return instance && !instance.unmanaged && !keepInstance ? [instance.id] : [];
  });
}
