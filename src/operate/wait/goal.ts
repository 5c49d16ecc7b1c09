/** Goal of wait-for: an entity of the status, and a comparison of its state with the desired one. */
import type { Attributes } from '../../core/goal.ts';
import { unitApplication } from '../../core/names.ts';
import { missingStatus } from '../../core/requirements/requirement.ts';
import type { DetailedStatus, FullStatus, UnitStatus } from '../../wire/facades/client.ts';

export const goalKinds = ['application', 'machine', 'model', 'unit'] as const;
export type GoalKind = (typeof goalKinds)[number];

/** Goals that apply when none is given. */
export const defaultGoals: Readonly<Record<GoalKind, string>> = {
  application: 'life=="alive" && status=="active" && agents=="idle"',
  unit: 'life=="alive" && workload-status=="active" && agent-status=="idle"',
  machine: 'life=="alive" && status=="started"',
  model: 'life=="alive" && status=="available"',
};

/** Returns the entity; undefined when the status does not have it. */
export function findEntity(status: FullStatus, kind: GoalKind, name: string): Attributes | undefined {
  if (kind === 'model')
    return {
      name: status.model.name,
      ...lifeAndStatus(status.model['model-status']),
      pending: String(Object.values(status.applications).filter(({ pending }) => pending).length),
    };
  if (kind === 'machine') {
    const machine = status.machines[name];
    return (
      machine && {
        id: name,
        ...lifeAndStatus(machine['agent-status']),
        'instance-status': machine['instance-status'].status,
      }
    );
  }
  if (kind === 'application') {
    const application = status.applications[name];
    if (!application) return undefined;
    const { pending } = application;
    const units = Object.values(application.units ?? {});
    const busy = units.find((unit) => unit['agent-status'].status !== 'idle');
    return {
      name,
      charm: application.charm,
      exposed: String(application.exposed),
      'workload-message': application.status.info,
      ...lifeAndStatus(application.status),
      life: application.life || 'alive',
      agents: busy?.['agent-status'].status ?? 'idle',
      deployable: String(!pending),
      pending: pending ? missingStatus(pending.missing).message : '',
      unplaced: String(
        unitsOf(status).filter((one) => one.unplaced && unitApplication(one.name) === name).length,
      ),
    };
  }
  const unit = unitsOf(status).find((one) => one.name === name);
  return (
    unit && {
      name,
      machine: unit.machine,
      ...lifeAndStatus(unit['agent-status']),
      'workload-status': unit['workload-status'].status,
      'workload-message': unit['workload-status'].info,
      'agent-status': unit['agent-status'].status,
      unplaced: String(unit.unplaced === true),
    }
  );
}

/** Returns all units. Subordinate units are listed under their principals. */
function unitsOf(status: FullStatus): (UnitStatus & { readonly name: string })[] {
  const named = ([name, unit]: [string, UnitStatus]) => ({ ...unit, name });
  return Object.values(status.applications).flatMap(({ units }) =>
    Object.entries(units ?? {}).flatMap((entry) => [
      named(entry),
      ...Object.entries(entry[1].subordinates ?? {}).map(named),
    ]),
  );
}

function lifeAndStatus(status: DetailedStatus): { life: string; status: string } {
  return { life: status.life || 'alive', status: status.status };
}
