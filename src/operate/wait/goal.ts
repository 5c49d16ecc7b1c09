/** Goals of wait-for: an entity of the status with its attributes, and those around it. */
import { formatBase } from '../../core/base.ts';
import type { Attributes, AttributeType } from '../../core/goal/goal.ts';
import { unitApplication } from '../../core/names.ts';
import { missingStatus } from '../../core/requirements/requirement.ts';
import type {
  ApplicationStatus,
  DetailedStatus,
  FullStatus,
  MachineStatus,
  UnitStatus,
} from '../../wire/facades/client.ts';

export const goalKinds = ['application', 'machine', 'model', 'unit'] as const;
export type GoalKind = (typeof goalKinds)[number];

/** Goals that apply when none is given. */
export const defaultGoals: Readonly<Record<GoalKind, string>> = {
  application: 'life=="alive" && status=="active" && agents=="idle"',
  unit: 'life=="alive" && workload-status=="active" && agent-status=="idle"',
  machine: 'life=="alive" && status=="started"',
  model: 'life=="alive" && status=="available"',
};

/** Attributes that a goal may compare. */
export const goalTypes = {
  application: {
    name: 'text',
    life: 'text',
    status: 'text',
    'workload-message': 'text',
    'workload-version': 'text',
    agents: 'text',
    charm: 'text',
    'charm-url': 'text',
    base: 'text',
    exposed: 'truth',
    subordinate: 'truth',
    deployable: 'truth',
    pending: 'text',
    unplaced: 'number',
    units: { each: 'unit' },
    machines: { each: 'machine' },
  },
  machine: {
    id: 'text',
    life: 'text',
    status: 'text',
    'instance-status': 'text',
    base: 'text',
    'container-type': 'text',
  },
  model: {
    name: 'text',
    life: 'text',
    status: 'text',
    'is-controller': 'truth',
    pending: 'number',
    applications: { each: 'application' },
    machines: { each: 'machine' },
    units: { each: 'unit' },
  },
  unit: {
    name: 'text',
    application: 'text',
    life: 'text',
    status: 'text',
    'workload-status': 'text',
    'workload-message': 'text',
    'agent-status': 'text',
    base: 'text',
    'charm-url': 'text',
    machine: 'text',
    'machine-id': 'text',
    'public-address': 'text',
    'private-address': 'text',
    principal: 'text',
    subordinate: 'truth',
    leader: 'truth',
    unplaced: 'truth',
    machines: { each: 'machine' },
  },
} as const satisfies Readonly<Record<GoalKind, Readonly<Record<string, AttributeType>>>>;

type ValueOf<T> = T extends 'text'
  ? string
  : T extends 'number'
    ? number
    : T extends 'truth'
      ? boolean
      : readonly Attributes[];
type AttributesOf<K extends GoalKind> = {
  readonly [A in keyof (typeof goalTypes)[K]]: ValueOf<(typeof goalTypes)[K][A]>;
};

/** Returns the entity; undefined when the status does not have it. */
export function findEntity(status: FullStatus, kind: GoalKind, name: string): Attributes | undefined {
  const model = new ModelView(status);
  switch (kind) {
    case 'model':
      return model.attributes();
    case 'machine':
      return model.machines.get(name);
    case 'application':
      return model.applications.get(name);
    case 'unit':
      return model.units.get(name);
  }
}

/** All entities of a status. Each is made once, and is the same in all lists. */
class ModelView {
  readonly #status: FullStatus;
  readonly machines: ReadonlyMap<string, AttributesOf<'machine'>>;
  readonly units: ReadonlyMap<string, AttributesOf<'unit'>>;
  readonly applications: ReadonlyMap<string, AttributesOf<'application'>>;

  constructor(status: FullStatus) {
    this.#status = status;
    const machines = Object.values(status.machines).flatMap(withContainers);
    const addresses = new Map(machines.map((one) => [one.id, one['ip-addresses']?.[0] ?? '']));
    this.machines = new Map(machines.map((one) => [one.id, machineAttributes(one)]));
    this.units = new Map(
      unitsOf(status).map((unit) => [
        unit.name,
        unitAttributes(unit, {
          application: status.applications[unitApplication(unit.name)],
          machines: this.#named([unit.machine || unit.principalMachine]),
          address: addresses.get(unit.machine || unit.principalMachine) ?? '',
        }),
      ]),
    );
    const unitsByApplication = Map.groupBy(this.units.values(), ({ application }) => application);
    this.applications = new Map(
      Object.entries(status.applications).map(([name, application]) => {
        const units = unitsByApplication.get(name) ?? [];
        const on = [...new Set(units.map((unit) => unit['machine-id']))];
        return [name, applicationAttributes(name, application, { units, machines: this.#named(on) })];
      }),
    );
  }

  attributes(): AttributesOf<'model'> {
    const { model, applications } = this.#status;
    return {
      name: model.name,
      ...lifeAndStatus(model['model-status']),
      'is-controller': model.name === 'controller',
      pending: Object.values(applications).filter(({ pending }) => pending).length,
      applications: [...this.applications.values()],
      machines: [...this.machines.values()],
      units: [...this.units.values()],
    };
  }

  #named(ids: readonly string[]): AttributesOf<'machine'>[] {
    return ids.flatMap((id) => this.machines.get(id) ?? []);
  }
}

function withContainers(machine: MachineStatus): MachineStatus[] {
  return [machine, ...Object.values(machine.containers ?? {}).flatMap(withContainers)];
}

function machineAttributes(machine: MachineStatus): AttributesOf<'machine'> {
  return {
    id: machine.id,
    ...lifeAndStatus(machine['agent-status']),
    'instance-status': machine['instance-status'].status,
    base: formatBase(machine.base),
    'container-type': machine.id.split('/').at(-2) ?? '',
  };
}

function applicationAttributes(
  name: string,
  application: ApplicationStatus,
  {
    units,
    machines,
  }: {
    readonly units: readonly AttributesOf<'unit'>[];
    readonly machines: readonly AttributesOf<'machine'>[];
  },
): AttributesOf<'application'> {
  const { pending } = application;
  return {
    name,
    ...lifeAndStatus(application.status),
    life: application.life || 'alive',
    'workload-message': application.status.info,
    'workload-version': application['workload-version'],
    agents: units.find((unit) => unit['agent-status'] !== 'idle')?.['agent-status'] ?? 'idle',
    charm: application.charm,
    'charm-url': application.charm,
    base: formatBase(application.base),
    exposed: application.exposed,
    subordinate: application['subordinate-to'].length > 0,
    deployable: !pending,
    pending: pending ? missingStatus(pending.missing).message : '',
    unplaced: units.filter(({ unplaced }) => unplaced).length,
    units,
    machines,
  };
}

function unitAttributes(
  unit: NamedUnit,
  {
    application,
    machines,
    address,
  }: {
    readonly application: ApplicationStatus | undefined;
    readonly machines: readonly AttributesOf<'machine'>[];
    readonly address: string;
  },
): AttributesOf<'unit'> {
  const machine = unit.machine || unit.principalMachine;
  return {
    name: unit.name,
    application: unitApplication(unit.name),
    ...lifeAndStatus(unit['agent-status']),
    'workload-status': unit['workload-status'].status,
    'workload-message': unit['workload-status'].info,
    'agent-status': unit['agent-status'].status,
    base: application ? formatBase(application.base) : '',
    'charm-url': unit.charm || (application?.charm ?? ''),
    machine: unit.machine,
    'machine-id': machine,
    'public-address': unit['public-address'],
    'private-address': unit.address ?? address,
    principal: unit.principal,
    subordinate: unit.principal !== '',
    leader: unit.leader === true,
    unplaced: unit.unplaced === true,
    machines,
  };
}

interface NamedUnit extends UnitStatus {
  readonly name: string;
  /** The unit that a subordinate is on, and its machine; '' for others. */
  readonly principal: string;
  readonly principalMachine: string;
}

/** Returns all units. Subordinate units are listed under their principals. */
function unitsOf(status: FullStatus): NamedUnit[] {
  return Object.values(status.applications).flatMap(({ units }) =>
    Object.entries(units ?? {}).flatMap(([name, unit]) => [
      { ...unit, name, principal: '', principalMachine: '' },
      ...Object.entries(unit.subordinates ?? {}).map(([subordinate, its]) => ({
        ...its,
        name: subordinate,
        principal: name,
        principalMachine: unit.machine,
      })),
    ]),
  );
}

function lifeAndStatus(status: DetailedStatus): { life: string; status: string } {
  return { life: status.life || 'alive', status: status.status };
}
