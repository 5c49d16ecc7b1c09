/** Resolution of a target to a machine: a machine's id, a unit, or an application's leader. */
import { JujuError, notFound } from '../../core/errors.ts';
import { notThere } from '../../core/controller/no-application.ts';
import { isMachineId } from '../../core/names.ts';
import type { MachineStatus, UnitStatus } from '../../wire/facades/client.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import type { CommandContext } from '../context.ts';
import type { Connection } from '../../client/connection.ts';

export type FullStatus = ResultOf<'Client', 'FullStatus'>;

type Advisor = Pick<CommandContext, 'lineFor'>;

interface Target {
  /** Name of the unit, with its number; '' for a machine. */
  readonly unit: string;
  readonly machine: MachineStatus;
}

export function fullStatus(connection: Connection): Promise<FullStatus> {
  return call(connection, 'Client', 'FullStatus', { patterns: [], 'include-storage': false });
}

/** Whether the name is an address or a name in a domain, which no machine or unit has. */
export function isPlainHost(name: string): boolean {
  return !name.includes('/') && /[.:]/.test(name);
}

/** Finds the target. Errors: `not found`, `not assigned`, `not provisioned`. */
export function findTarget(context: Advisor, status: FullStatus, name: string): Target {
  const { unit, machine: id } = isMachineId(name)
    ? { unit: '', machine: name }
    : findUnit(context, status, name);
  const machine = machineOf(status.machines, id);
  if (!machine) throw new JujuError('not found', `machine ${id} not found`);
  if (machine['instance-id'] === 'pending' || machine['instance-id'] === '') {
    throw new JujuError(
      'not provisioned',
      `machine "${id}" is not started yet: see '${context.lineFor(`status ${id}`)}'`,
    );
  }
  return { unit, machine };
}

/** Finds a machine or container. */
export function machineOf(
  machines: Readonly<Record<string, MachineStatus>>,
  id: string,
): MachineStatus | undefined {
  const machine = machines[id];
  if (machine) return machine;
  return Object.values(machines)
    .map((m) => machineOf(m.containers ?? {}, id))
    .find(Boolean);
}

function findUnit(context: Advisor, status: FullStatus, target: string): { unit: string; machine: string } {
  const [application = '', unitNumber] = target.split('/');
  const units: [string, UnitStatus, string][] = [];
  const add = (entries: Readonly<Record<string, UnitStatus>>, principalMachine: string): void => {
    for (const [name, unit] of Object.entries(entries)) {
      // Subordinate units are on their principals' machines.
      const machine = unit.machine || principalMachine;
      units.push([name, unit, machine]);
      add(unit.subordinates ?? {}, machine);
    }
  };
  for (const app of Object.values(status.applications)) add(app.units ?? {}, '');
  const match = units.find(([name, unit]) =>
    unitNumber === 'leader' ? name.startsWith(`${application}/`) && unit.leader : name === target,
  );
  if (!match) {
    if (!status.applications[application]) {
      if (!target.includes('/')) throw notFound('machine or unit', target);
      const isControllers = status.model.name === 'controller';
      throw new JujuError('not found', notThere('application', application, isControllers));
    }
    throw unitNumber === 'leader'
      ? new JujuError('not found', `application "${application}" has no leader`)
      : notFound('unit', target);
  }
  const [name, unit, machine] = match;
  if (unit.unplaced) {
    const reason = unit['workload-status'].info;
    throw new JujuError(
      'not assigned',
      `unit "${name}" is not on a machine yet${reason ? `: ${reason}` : ''}`,
    );
  }
  if (!machine)
    throw new JujuError(
      'not assigned',
      `unit "${name}" has no machine yet: see '${context.lineFor(`status ${application}`)}'`,
    );
  return { unit: name, machine };
}
