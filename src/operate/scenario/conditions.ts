/** Evaluates the conditions of scenarios. */
import type { DetailedStatus, FullStatus, MachineStatus, UnitStatus } from '../../wire/facades/client.ts';
import type { StorageDetails } from '../../wire/facades/storage-details.ts';
import { parseTag } from '../../wire/tags.ts';
import type { Condition } from './scenario.ts';

/** State of a scenario's model at one moment. */
export interface Look {
  /** The status of the model; undefined when the model does not exist. */
  readonly status: FullStatus | undefined;
  /** Ids of machines that the cloud has instances for. */
  readonly instances: readonly string[];
}

export type StateCondition = Exclude<Condition, { kind: 'prints' | 'last-hooks' }>;

/** Returns undefined when the condition holds, else the state that there is instead. */
export function whyNot(condition: StateCondition, look: Look): string | undefined {
  switch (condition.kind) {
    case 'nothing-left': {
      const left = whatIsLeft(look);
      return left.length === 0 ? undefined : `left are ${left.join(', ')}`;
    }
    case 'units': {
      const { application, count } = condition;
      const found = [...unitsOf(look.status)].filter(([name]) => name.split('/')[0] === application).length;
      return found === count
        ? undefined
        : `application ${application} has ${found} unit${found === 1 ? '' : 's'}`;
    }
    case 'settled':
      return whyUnsettled(condition, look);
    case 'is':
      return whyIsNot(condition, look);
  }
}

function whyUnsettled(
  { application: name, missing }: Extract<Condition, { kind: 'settled' }>,
  { status }: Look,
): string | undefined {
  const application = status?.applications[name];
  if (!application) return `application ${name} is gone`;
  // An application whose required relation is missing has no machines, and its units run nothing.
  if (application.status.status === 'blocked' && application.status.info.startsWith('missing relation'))
    return undefined;
  const own = [...unitsOf(status)].filter(([unit]) => unit.split('/')[0] === name);
  if (own.length === 0) return `application ${name} has no units`;
  for (const [unitName, unit] of own) {
    const { status: workload, info } = unit['workload-status'];
    const shown = describe(foundWith(unit['agent-status'], unit['workload-status']));
    const isSettled = workload === 'active' || workload === 'blocked';
    if (!isSettled || unit['agent-status'].status !== 'idle') return `unit ${unitName} is ${shown}`;
    if (workload === 'blocked' && missing?.length === 0)
      return `unit ${unitName} is blocked (${info}), and the charm states nothing that is missing: it requires no relation, and has no resource and no option without a value`;
  }
  return undefined;
}

function whyIsNot(condition: Extract<Condition, { kind: 'is' }>, look: Look): string | undefined {
  const { noun, name, state, message } = condition;
  const found = find(condition, look);
  const shown = `${noun}${name === '' ? '' : ` ${name}`} is ${found ? describe(found) : 'gone'}`;
  if (state === 'gone') return found && shown;
  if (!found) return shown;
  if (state === 'there') return undefined;
  if (state === 'alive' || state === 'dying' || state === 'dead')
    return found.life === state ? undefined : shown;
  const holds = found.statuses.some(
    (status) => status.status === state && (message === '' || (status.info ?? '').includes(message)),
  );
  return holds ? undefined : shown;
}

interface Found {
  readonly life: string;
  readonly statuses: readonly Pick<DetailedStatus, 'status' | 'info'>[];
}

function find({ noun, name }: { noun: string; name: string }, look: Look): Found | undefined {
  const { status } = look;
  switch (noun) {
    case 'model':
      return status && { life: 'alive', statuses: [status.model['model-status']] };
    case 'instance':
      return look.instances.includes(name) ? { life: 'alive', statuses: [] } : undefined;
    case 'unit': {
      const unit = [...unitsOf(status)].find(([one]) => one === name)?.[1];
      return unit && foundWith(unit['agent-status'], unit['workload-status']);
    }
    case 'machine': {
      const machine = machineIn(status?.machines ?? {}, name);
      return machine && foundWith(machine['agent-status'], machine['instance-status']);
    }
    case 'relation': {
      const relation = status?.relations?.find((one) => one.key === sameOrder(one.key, name));
      return relation && foundWith(relation.status);
    }
    case 'storage': {
      const storage = status?.storage?.find((one) => storageId(one) === name);
      return storage && { life: storage.life ?? 'alive', statuses: [storage.status] };
    }
    default: {
      const application = status?.applications[name];
      return application && { life: application.life || 'alive', statuses: [application.status] };
    }
  }
}

function storageId(storage: StorageDetails): string {
  return parseTag(storage['storage-tag']).id;
}

function foundWith(...statuses: readonly [DetailedStatus, ...DetailedStatus[]]): Found {
  return { life: statuses[0].life || 'alive', statuses };
}

/** Finds a machine; a container is listed below its host. */
function machineIn(machines: FullStatus['machines'], id: string): MachineStatus | undefined {
  const host = id.split('/').slice(0, -2).join('/');
  return (host === '' ? machines : (machineIn(machines, host)?.containers ?? {}))[id];
}

/** Returns `name` in the form of `key`, if both name the same two endpoints. */
function sameOrder(key: string, name: string): string {
  const [a, b] = name.split(' ');
  return key === `${b} ${a}` ? key : name;
}

function describe({ life, statuses }: Found): string {
  return [life, ...statuses.map(({ status, info }) => (info ? `${status} (${info})` : status))].join(', ');
}

/** Iterates over all units, subordinates included. */
export function* unitsOf(status: FullStatus | undefined): Iterable<[string, UnitStatus]> {
  for (const application of Object.values(status?.applications ?? {})) yield* below(application.units ?? {});
}

function* below(some: Readonly<Record<string, UnitStatus>>): Iterable<[string, UnitStatus]> {
  for (const [name, unit] of Object.entries(some)) {
    yield [name, unit];
    yield* below(unit.subordinates ?? {});
  }
}

function whatIsLeft({ status, instances }: Look): string[] {
  return [
    ...Object.keys(status?.applications ?? {}).map((name) => `application ${name}`),
    ...(status?.relations ?? []).map(({ key }) => `relation ${key}`),
    ...Object.keys(status?.machines ?? {}).map((id) => `machine ${id}`),
    ...(status?.storage ?? []).map((one) => `storage ${storageId(one)}`),
    ...instances.map((id) => `the instance of machine ${id}`),
  ];
}
