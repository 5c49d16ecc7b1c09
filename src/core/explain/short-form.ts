/** An entity's removal in one table cell: since when it is dying, and what it waits for. */
import type { Ending, Life } from '../life.ts';
import type { MachineDoc } from '../machine/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import { impediments } from '../impediments.ts';
import { statusId } from '../status.ts';
import { age } from './age.ts';
import { livingDoc, type ExplainView } from './explanation.ts';
import { forceOf } from './force.ts';
import { machineKind, release, type MachineState } from './machine-state.ts';
import { agentKind } from './unit-agent.ts';
import { listed, plural } from './walk.ts';

/** Short state such as `dying for 5m: waiting for 3 units`; '' for an alive or unknown entity. Reads few documents. */
export function shortForm(entity: EntityRef, view: ExplainView): string {
  const doc: (Ending & { readonly life: Life }) | undefined = livingDoc(entity.kind, entity.id, view);
  if (!doc || doc.life === 'alive') return '';
  const since = doc.dyingSince === undefined ? doc.life : `${doc.life} for ${age(doc.dyingSince, view.now)}`;
  const reason = shortReason(entity, view);
  const force = forceOf(entity, view);
  const end = !force
    ? ''
    : force.deadline > view.now
      ? ` (forced, cleared at ${force.deadline.slice(11, 19)}Z)`
      : ' (forced, being cleared)';
  return `${reason === '' ? since : `${since}: ${reason}`}${end}`;
}

/** What a dying or dead entity waits for; '' when its agent's own status says it. */
export function shortReason(entity: EntityRef, view: ExplainView): string {
  const { kind, id } = entity;
  switch (kind) {
    case 'unit': {
      const unit = view.get('unit', id);
      return unit ? unitReason(unit, view) : '';
    }
    case 'machine': {
      const machine = view.get('machine', id);
      return machine ? machineReason(machine, view) : '';
    }
    case 'application': {
      const units = view.count('unit', 'application', id);
      if (units > 0) return `waiting for ${plural(units, 'unit')}`;
      return impediments(entity, view, 1)[0]?.text ?? 'about to be removed';
    }
    case 'relation': {
      const units = view.count('scope', 'local', id);
      if (units === 0) return impediments(entity, view, 1)[0]?.text ?? 'about to be removed';
      if (units > 1) return `waiting for ${plural(units, 'unit')} to leave`;
      return `waiting for ${impediments(entity, view, 1)[0]?.entity?.id ?? 'a unit'} to leave`;
    }
    case 'model': {
      const kinds = (['application', 'machine'] as const).filter((one) => view.count(one) > 0);
      if (kinds.length === 0) {
        const failed = view.get('status', statusId('model', ''))?.message;
        return `releasing its cloud resources${failed ? `, in vain: ${failed}` : ''}`;
      }
      return `waiting for ${listed(kinds.map((one) => plural(view.count(one), one)))}`;
    }
  }
}

function unitReason(unit: UnitDoc, view: ExplainView): string {
  if (unit.unplaced) return 'about to be removed';
  if (unit.life === 'dead') return `waiting for machine ${unit.machine} to stop its agent`;
  switch (agentKind(unit, view)) {
    case 'failed':
      return unit.resolved === '' ? '"resolved" helps' : 'resolved';
    case 'lost':
      return `the agent of machine ${unit.machine} is lost`;
    case 'frozen':
      return `the agent of machine ${unit.machine} does not answer`;
    case 'absent':
      return `waiting for machine ${unit.machine}`;
    case 'undeployed':
    case 'busy':
      return '';
    case 'idle':
      break;
  }
  const [first] = impediments({ kind: 'unit', id: unit.name }, view, 1);
  if (first?.kind === 'subordinate') {
    const others = view.count('unit', 'principal', unit.name) - 1;
    return `waiting for subordinate ${first.entity?.id}${others > 0 ? ` and ${others} more` : ''}`;
  }
  if (first?.kind !== 'scope') return first?.text ?? 'stopping';
  const more = view.count('scope', 'unit', unit.name) - 1;
  const key = view.get('relation', first.entity?.id ?? '')?.key ?? first.entity?.id;
  return `leaving relation ${key}${more > 0 ? ` and ${more} more` : ''}`;
}

function machineReason(machine: MachineDoc, view: ExplainView): string {
  if (machine.life === 'dead') return release(machine, view).text;
  const [first] = impediments({ kind: 'machine', id: machine.id }, view, 1);
  const trouble = troubles[machineKind(machine, view)];
  if (first?.kind === 'unit') {
    const more = view.count('unit', 'machine', machine.id) - 1;
    const units = `waiting for unit ${first.entity?.id}${more > 0 ? ` and ${more} more` : ''}`;
    return trouble ? `${units}; ${trouble}` : units;
  }
  if (first) return first.text;
  if (!machine.instance) return 'about to be removed';
  return trouble ?? 'waiting for its agent';
}

const troubles: Partial<Record<MachineState['kind'], string>> = {
  lost: 'its agent is lost',
  frozen: 'its agent does not answer',
};
