import type { ApplicationDoc } from '../application/document.ts';
import { defined } from '../defined.ts';
import type { Status } from '../status.ts';
import type { Refs } from '../impediments.ts';
import { charmOfUnits, modifiedUnits, type UnitDoc } from '../unit/document.ts';
import { agentStatus } from '../unit/shown-status.ts';
import { healthOfUnit } from './health.ts';
import type { BatchUnit, RolloutSnapshot } from './plan-rollout.ts';
import { isHeld, isUpgraded, whatUnitsTake, type Rollout } from './rollout.ts';

/**
 * The snapshot that planRollout decides by: the units of the batch, and other units only as far as they are read.
 * `present`: whether the agent of a machine is connected.
 */
export function rolloutSnapshot(
  refs: Refs,
  application: ApplicationDoc & { readonly rollout: Rollout },
  present: (machine: string) => boolean,
): RolloutSnapshot {
  const { name, charmUrl, rollout, older = {} } = application;
  const { leaves = [] } = rollout.resources ?? {};
  // A unit on another charm is found by that charm.
  const unitsOf = function* (index: 'charm' | 'modified', value: string): Iterable<string> {
    for (const unit of refs.find('unit', index, value)) {
      if (index === 'modified' && unit.charmUrl !== charmUrl) continue;
      if (unit.life === 'alive' && unit.machine !== undefined && isHeld(application, unit)) yield unit.name;
    }
  };
  return {
    rollout,
    target: whatUnitsTake(application),
    leader: refs.get('lease', name)?.holder ?? '',
    units: refs.count('unit', 'application', name),
    batch: [...refs.find('unit', 'batch', name)]
      .filter(({ life }) => life === 'alive')
      .map((unit) => batchUnit(unit, application, refs, present)),
    held: function* () {
      for (const url of Object.keys(older)) yield* unitsOf('charm', charmOfUnits(name, url));
      for (const version of leaves) yield* unitsOf('modified', modifiedUnits(name, version));
    },
  };
}

/** A unit as the rules of roll-outs see it. */
export function batchUnit(
  unit: UnitDoc,
  application: ApplicationDoc,
  refs: Refs,
  present: (machine: string) => boolean,
): BatchUnit {
  const { name } = unit;
  const { attributes, error } = healthOfUnit(unit, refs, present);
  return {
    name,
    isUpgraded: isUpgraded(application, unit),
    ...defined({ takenAt: unit.takenAt }),
    attributes,
    ...(error && {
      error: { ...error, blocksCharm: blocksCharm(agentStatus(unit, refs), application.forceCharm) },
    }),
  };
}

/**
 * Whether the error keeps the unit from taking the application's charm or resources (unit-agent.md#upgrade). A failed
 * deployment does not, nor does a hook before the install, nor another hook with --force-units.
 */
export function blocksCharm({ data = {} }: Pick<Status, 'data'>, forceCharm = false): boolean {
  if (typeof data['charm'] === 'string') return false;
  if (typeof data['hook'] !== 'string') return true;
  return data['installed'] !== false && !forceCharm;
}
