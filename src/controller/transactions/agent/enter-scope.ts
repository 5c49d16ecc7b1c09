import { scopeId } from '../../../core/scope/document.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { containerOf, takesPart } from '../../../core/relation/visible.ts';
import { addUnitStorage } from '../begin/add-storage.ts';
import { announcedAddresses } from './unit-network.ts';
import { mustGet, setStatus, statusOf, takeNumbers, type Tx, type View } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Enters the unit into the relation's scope: its databag is created with its addresses (relations.md#scope-enter). A
 * principal that enters a container-scoped relation also gets its subordinate unit, in the same change
 * (relations.md#subordinate-made).
 * Errors: `cannot enter scope`, `cannot enter scope yet`.
 */
export function enterScope(tx: Tx, args: { unit: string; relation: string }): void {
  const unit = mustGet(tx, 'unit', args.unit);
  const relation = tx.get('relation', args.relation);
  if (!relation || relation.life !== 'alive' || relation.suspended || unit.life !== 'alive')
    throw new JujuError('cannot enter scope', 'cannot enter scope: unit or relation is not alive');
  const endpoint = relation.endpoints.find((one) => one.application === unit.application);
  if (!endpoint || !takesPartIn(tx, unit, relation))
    throw new JujuError(
      'cannot enter scope',
      `unit "${unit.name}" is not a member of relation "${relation.key}"`,
    );

  const id = scopeId({ relation: args.relation, unit: unit.name });
  if (tx.get('scope', id)) return;
  const container = containerOf(unit, endpoint.scope);
  if (container !== '' && unit.principal === undefined) ensureSubordinate(tx, unit, relation);
  tx.put('scope', id, {
    relation: args.relation,
    unit: unit.name,
    application: unit.application,
    role: endpoint.role,
    container,
    departing: false,
  });
  const version = (tx.get('settings', id)?.version ?? 0) + 1;
  tx.put('settings', id, {
    relation: args.relation,
    owner: unit.name,
    values: Object.fromEntries(
      Object.entries(announcedAddresses(tx, unit, endpoint.name, relation)).filter(
        ([, value]) => value !== '',
      ),
    ),
    version,
  });
  if (statusOf(tx, 'relation', args.relation, relation.createdAt).status === 'joining')
    setStatus(tx, 'relation', args.relation, 'joined');
}

/** True when the unit takes part in the relation of its application (core/relation/visible.ts). */
export function takesPartIn(view: View, unit: UnitDoc, relation: RelationDoc): boolean {
  const ownEndpoint = relation.endpoints.find((endpoint) => endpoint.application === unit.application);
  if (!ownEndpoint) return false;
  const remote = relation.endpoints.find((endpoint) => endpoint !== ownEndpoint) ?? ownEndpoint;
  const principal = unit.principal === undefined ? undefined : view.get('unit', unit.principal);
  return takesPart({
    scope: ownEndpoint.scope,
    ...defined({ principalApplication: principal?.application }),
    remoteApplication: remote.application,
    remoteSubordinate: view.get('application', remote.application)?.subordinate === true,
  });
}

function ensureSubordinate(tx: Tx, principal: UnitDoc, relation: RelationDoc): void {
  const endpoint = relation.endpoints.find((one) => one.application !== principal.application);
  const application = endpoint && tx.get('application', endpoint.application);
  if (!application?.subordinate) return;
  for (const unit of tx.find('unit', 'principal', principal.name)) {
    if (unit.application !== application.name) continue;
    if (unit.life === 'alive') return;
    throw new JujuError(
      'cannot enter scope yet',
      'cannot enter scope yet, non-alive subordinate unit has not been removed',
    );
  }
  const name = `${application.name}/${takeNumbers(tx, `unit ${application.name}`)}`;
  const unit: UnitDoc = {
    name,
    application: application.name,
    life: 'alive',
    principal: principal.name,
    ...(application.pending || principal.machine === undefined
      ? { unplaced: {} }
      : { machine: principal.machine }),
    charmUrl: application.charmUrl,
    ...defined({ charmModifiedVersion: application.rollout?.resources && application.charmModifiedVersion }),
    base: application.base,
    constraints: {},
    resolved: '',
    ports: {},
    workloadVersion: '',
    deployed: false,
    createdAt: tx.now,
  };
  tx.put('unit', name, unit);
  addUnitStorage(tx, unit, application);
}
