import type { UnitDoc } from '../../core/entities.ts';
import type { EntityRef } from '../../core/entity-ref.ts';
import { unitApplication } from '../../core/names.ts';
import { machinesOf } from './clear.ts';
import { isDue } from './force.ts';
import type { Tx, View } from './tx.ts';

/** So many are named; of the others just how many. */
const namedMax = 10;

/** What force skips, or will skip at the deadline; to be asked before anything is cleared. Empty without force. */
export function forceWarnings(tx: Tx, entity: EntityRef): string[] {
  const doc = entity.kind === 'model' ? tx.in('').get('model', entity.id) : tx.get(entity.kind, entity.id);
  if (!doc?.force) return [];
  const lines = skippedBy(tx, entity);
  if (lines.length === 0 || isDue(tx, doc)) return lines;
  return [`what is left at ${doc.force.deadline} is cleared without waiting for agents:`, ...lines];
}

/**
 * What goes without its hooks, or stays behind, when the entity is cleared as it is now: a sentence for each kind of
 * thing, bounded in length. Costs what the entity has.
 */
export function skippedBy(view: View, entity: EntityRef): string[] {
  const units = unitsOf(view, entity);
  const machines = machinesIn(view, entity);
  const scopes = [...scopesOf(view, entity, units)].filter(([, members]) => members.length > 0);
  return [
    ...line(
      'removed without stop and remove hooks',
      units.filter(({ deployed, life }) => deployed && life !== 'dead').map(({ name }) => name),
    ),
    ...scopes
      .slice(0, namedMax)
      .flatMap(([relation, members]) =>
        line(
          `removed from relation "${view.get('relation', relation)?.key ?? relation}" without departed and broken hooks`,
          members,
        ),
      ),
    ...line(
      'and from relations',
      scopes.slice(namedMax).map(([relation]) => view.get('relation', relation)?.key ?? relation),
    ),
    ...line('subordinates removed with it', subordinatesOf(view, entity)),
    ...line('containers removed with it', entity.kind === 'machine' ? machines.slice(0, -1) : []),
    ...line('storage detached', storageOf(view, units)),
    ...line('instances that are still to be released', instancesOf(view, machines)),
  ];
}

function line(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length - namedMax;
  return [`${text}: ${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}

function machinesIn(view: View, { kind, id }: EntityRef): string[] {
  if (kind === 'machine') return machinesOf(view, id);
  return kind === 'model' ? [...view.list('machine')].map((machine) => machine.id) : [];
}

/** Those that go, without the subordinates that go with them for units and applications. */
function unitsOf(view: View, { kind, id }: EntityRef): UnitDoc[] {
  switch (kind) {
    case 'unit': {
      const unit = view.get('unit', id);
      return unit ? [unit] : [];
    }
    case 'machine':
      return machinesOf(view, id).flatMap((machine) => [...view.find('unit', 'machine', machine)]);
    case 'application':
      return [...view.find('unit', 'application', id)];
    case 'model':
      return [...view.list('unit')];
    case 'relation':
      return [];
  }
}

function subordinatesOf(view: View, { kind, id }: EntityRef): string[] {
  if (kind === 'unit') return [...view.find('unit', 'principal', id)].map(({ name }) => name);
  if (kind !== 'application') return [];
  const beside = [...view.find('relation', 'application', id)]
    .filter(({ endpoints }) => endpoints[0]?.scope === 'container')
    .flatMap(({ endpoints }) => endpoints.map(({ application }) => application));
  return [...new Set(beside)].flatMap((application) =>
    [...view.find('unit', 'application', application)]
      .filter(({ principal }) => principal !== undefined && unitApplication(principal) === id)
      .map(({ name }) => name),
  );
}

/** Relation → the units that are in its scope and would be no more. */
function scopesOf(
  view: View,
  { kind, id }: EntityRef,
  units: readonly UnitDoc[],
): ReadonlyMap<string, readonly string[]> {
  const membersOf = (relation: string): string[] =>
    [...view.find('scope', 'relation', relation)].map(({ unit }) => unit);
  switch (kind) {
    case 'relation':
      return new Map([[id, membersOf(id)]]);
    case 'application':
      return new Map(
        [...view.find('relation', 'application', id)].map((relation) => [
          String(relation.id),
          membersOf(String(relation.id)),
        ]),
      );
    case 'model':
      return new Map(
        [...view.list('relation')].map((relation) => [String(relation.id), membersOf(String(relation.id))]),
      );
    case 'unit':
    case 'machine': {
      const scopes = units.flatMap(({ name }) => [...view.find('scope', 'unit', name)]);
      const found = Map.groupBy(scopes, ({ relation }) => relation);
      return new Map([...found].map(([relation, members]) => [relation, members.map(({ unit }) => unit)]));
    }
  }
}

function storageOf(view: View, units: readonly UnitDoc[]): string[] {
  if (view.count('storage-attachment') === 0) return [];
  return units.flatMap(({ name }) =>
    [...view.find('storage-attachment', 'unit', name)].map(({ storage }) => storage),
  );
}

function instancesOf(view: View, machines: readonly string[]): string[] {
  return machines.flatMap((id) => {
    const { instance, keepInstance } = view.get('machine', id) ?? {};
    return instance && !instance.unmanaged && !keepInstance ? [instance.id] : [];
  });
}
