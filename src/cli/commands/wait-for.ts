import type { DetailedStatus, FullStatus, UnitStatus } from '../../wire/facades/client.ts';
import { JujuError } from '../../core/errors.ts';
import { unitApplication } from '../../core/names.ts';
import { missingStatus } from '../../core/requirements/requirement.ts';
import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { duration, text } from '../flags.ts';
import { waitFor as poll } from '../wait.ts';

const kinds = ['application', 'machine', 'model', 'unit'];

export const waitFor = command({
  name: 'wait-for',
  summary: 'Wait for an entity to reach a specified state.',
  usage: '<application|machine|model|unit> <name>',
  details: `Waits until the entity is as --query says: comparisons of life, status, workload-status, agent-status,
workload-message, name and charm with == or !=, joined by && and ||. Without one: an application and
a unit are active and their agents idle, a machine is started, a model is available.

What waits for required relations: an application's deployable ("true" or "false"), pending (what it waits for,
"" when that is nothing) and unplaced (how many units have no machine yet); a unit's unplaced ("true" or "false");
a model's pending (how many applications wait).`,
  examples: [
    'wait-for application mysql',
    'wait-for unit mysql/0 --query=\'workload-status=="active"\'',
    'wait-for machine 0 --timeout 5m',
    'wait-for application wordpress --query=\'deployable=="true"\'',
    'wait-for model shop --query=\'pending=="0"\'',
  ],
  seeAlso: ['status', 'pending'],
  completes: [kinds, 'application'],
  flags: {
    ...modelFlags,
    query: text('--query', 'Query the goal state'),
    timeout: duration('--timeout', 'How long to wait, before timing out', '10m0s'),
  },
  async run(context, flags, args) {
    const [kind, name, ...rest] = args;
    if (!kind || !kinds.includes(kind))
      throw new UsageError(`what to wait for must be one of ${kinds.join(', ')}`);
    if (!name) throw new UsageError(`${kind} name must be supplied`);
    noMoreArgs(rest);
    const goal = parseQuery(flags.query || defaults[kind]!);
    const session = await context.openModel(kind === 'model' ? name : flags.model);
    await poll(context, {
      what: `${kind} "${name}"`,
      timeoutMs: flags.timeout ?? 10 * 60_000,
      async check() {
        const status = await call(session.connection, 'Client', 'FullStatus', {
          patterns: [],
          'include-storage': false,
        });
        const entity = findEntity(status, kind, name);
        if (entity && goal(entity)) return undefined;
        return `waiting for ${kind} "${name}": ${entity ? describe(kind, entity) : 'not there yet'}`;
      },
      onTimeout: () =>
        new JujuError('deadline exceeded', `timed out waiting for ${kind} "${name}" to reach the goal state`),
    });
    context.info(`${kind} "${name}" is as wished`);
  },
});

type Entity = Readonly<Record<string, string>>;

const defaults: Readonly<Record<string, string>> = {
  application: 'life=="alive" && status=="active" && agents=="idle"',
  unit: 'life=="alive" && workload-status=="active" && agent-status=="idle"',
  machine: 'life=="alive" && status=="started"',
  model: 'life=="alive" && status=="available"',
};

function findEntity(status: FullStatus, kind: string, name: string): Entity | undefined {
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

/** Subordinate units stand under their principals. */
function unitsOf(status: FullStatus): (UnitStatus & { readonly name: string })[] {
  const named = ([name, unit]: [string, UnitStatus]) => ({ ...unit, name });
  return Object.values(status.applications).flatMap(({ units }) =>
    Object.entries(units ?? {}).flatMap((one) => [
      named(one),
      ...Object.entries(one[1].subordinates ?? {}).map(named),
    ]),
  );
}

function lifeAndStatus(status: DetailedStatus): { life: string; status: string } {
  return { life: status.life || 'alive', status: status.status };
}

function describe(kind: string, entity: Entity): string {
  const shown = ['life', 'status', 'workload-status', 'agent-status', 'agents']
    .filter((key) => entity[key] !== undefined)
    .map((key) => `${key} ${entity[key]}`);
  return [...shown, waiting(kind, entity)].filter(Boolean).join(', ');
}

/** For the relations that it requires, or because it cannot be placed. */
function waiting(kind: string, { pending, unplaced, 'workload-message': message = '' }: Entity): string {
  switch (kind) {
    case 'model':
      return pending === '0' ? '' : `applications pending: ${pending}`;
    case 'application':
      if (pending) return `waiting for ${pending}`;
      return unplaced === '0' ? '' : message;
    case 'unit':
      return unplaced === 'true' ? message : '';
    default:
      return '';
  }
}

/** `a=="x" && b!="y" || c=="z"` → a test of an entity. Errors: UsageError. */
function parseQuery(query: string): (entity: Entity) => boolean {
  const alternatives = query.split('||').map((part) =>
    part.split('&&').map((term) => {
      const match = /^\s*([\w-]+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(\w+))\s*$/.exec(term);
      if (!match)
        throw new UsageError(
          `cannot read "${term.trim()}" in --query: a term is name=="value" or name!="value"`,
        );
      const [, key = '', operator, ...quoted] = match;
      const wanted = quoted.find((text) => text !== undefined) ?? '';
      return (entity: Entity): boolean => (entity[key] === wanted) === (operator === '==');
    }),
  );
  return (entity) => alternatives.some((terms) => terms.every((term) => term(entity)));
}
