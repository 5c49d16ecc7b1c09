import { settingsId } from '../../../core/settings/document.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { relationKey } from '../../../core/relation/key.ts';
import { containerOf } from '../../../core/relation/visible.ts';
import { takesPartIn } from '../../transactions/agent/enter-scope.ts';
import { leaderOf } from '../../transactions/agent/leadership.ts';
import { mustGet } from '../../transactions/tx.ts';
import { isoTime } from '../../../kit/clock.ts';
import { ownUnit } from './own-unit.ts';

/**
 * Returns a databag of a relation, if the unit may read it (relations.md#databag-readers). It stays readable after its
 * owner has left. That of a unit that a restored model does not know is empty (backups.md#after-a-restore).
 */
export function relationSettings(
  call: Call,
  params: MachineAgentMethods['RelationSettings']['params'],
): MachineAgentMethods['RelationSettings']['result'] {
  const view = call.read();
  const unit = ownUnit(call, view, params.unit);
  const relation = mustGet(view, 'relation', String(params.relation));
  const members = relation.endpoints.map((endpoint) => endpoint.application);
  const ownerApplication = params.owner.split('/')[0]!;
  if (!takesPartIn(view, unit, relation) || !members.includes(ownerApplication)) throw permissionDenied();
  const owner = view.get('unit', params.owner);
  const scope = relation.endpoints[0]?.scope ?? 'global';
  if (owner && containerOf(owner, scope) !== containerOf(unit, scope)) throw permissionDenied();
  if (params.owner === unit.application && members.length > 1) {
    if (leaderOf(view, unit.application, isoTime(call.services.clock)) !== unit.name)
      throw permissionDenied();
  }
  const settings = view.get('settings', settingsId(params));
  // A unit has settings from the moment at which it enters the relation; a restore has forgotten those of newer units.
  const isForgotten = !owner && view.in('').get('model', view.space)?.restored !== undefined;
  if (!settings && !isForgotten && params.owner.includes('/') && params.owner !== unit.name)
    throw new JujuError(
      'not found',
      `cannot read settings for unit "${params.owner}" in relation "${relationKey(relation.endpoints)}": settings not found`,
    );
  return { values: { ...settings?.values } };
}
