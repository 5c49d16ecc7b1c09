import { isApplicationName, isMachineId, isUnitName } from '../../core/names.ts';
import { parseGoal, type Attributes, type Goal } from '../../core/goal/goal.ts';
import { defaultGoals, goalKinds, goalTypes, type GoalKind } from '../../operate/wait/goal.ts';
import { waitForGoal } from '../../operate/wait/wait-for-goal.ts';
import { command, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, duration, text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';
import { withGoalHelp } from '../goal-help.ts';
import { waitingOperator } from '../wait.ts';

export const waitFor = command({
  name: 'wait-for',
  summary: 'Wait for an entity to reach a specified state.',
  usage: '<application|machine|model|unit> <name>',
  details: `Waits until the entity exists and --query holds, and then prints a summary of what the query looked at
(--summary=false: nothing). By default, an application or unit must be active with idle agents, a machine must be
started, and a model must be available. When the entity is removed meanwhile, the wait ends with an error, unless the
query holds with life=="dead".

A query compares attributes with texts in quotes, numbers, true and false by ==, !=, <, <=, > and >=, and combines such
comparisons with &&, ||, ! and parentheses. Functions:

    len(x)                    length of a text or a list
    startsWith(x, "text")     whether a text starts so; endsWith likewise
    forEach(list, x => ...)   whether what follows holds for each entity in the list, of which there is at least one
    print(x)                  x, which is also printed to stderr

Attributes:

${Object.entries(goalTypes)
  .map(([kind, types]) => `    ${kind}: ${Object.keys(types).join(', ')}`)
  .join('\n')}

For required relations, an application has deployable, pending (what it waits for, "" when nothing is missing) and
unplaced (the number of units without a machine); a unit has unplaced; a model has pending (the number of pending
applications).`,
  examples: [
    'wait-for application mysql',
    'wait-for unit mysql/0 --query=\'workload-status=="active"\'',
    'wait-for machine 0 --timeout 5m',
    'wait-for application mysql --query=\'len(units) == 3 && forEach(units, unit => unit.agent-status == "idle")\'',
    "wait-for application wordpress --query='deployable'",
    'wait-for model shop --query=\'forEach(applications, app => app.status == "active" || startsWith(app.name, "test-"))\'',
  ],
  seeAlso: ['status', 'pending'],
  completes: [goalKinds, 'application'],
  flags: {
    ...modelFlags,
    query: text('--query', 'Query the goal state'),
    summary: bool('--summary', 'Output a summary of the application query on exit', true),
    timeout: duration('--timeout', 'How long to wait, before timing out', '10m0s'),
  },
  async run(context, flags, args) {
    const { kind, name } = readEntity(args);
    const goal = readGoal(context, flags.query || defaultGoals[kind], kind);
    const { connection } = await context.openModel(kind === 'model' ? name : flags.model);
    const operator = waitingOperator(
      context,
      ({ entity }: { readonly entity: Attributes | undefined }) =>
        `waiting for ${kind} "${name}": ${entity ? describe(kind, entity) : 'does not exist yet'}`,
    );
    const timeoutMs = flags.timeout ?? 10 * 60_000;
    const entity = await waitForGoal(operator, connection, { kind, name, goal, timeoutMs });
    if (!flags.summary) return;
    context.info(`${kind[0]!.toUpperCase()}${kind.slice(1)} "${name}" ${happening(entity)}`);
    if (entity['life'] === 'alive') await context.write(toYaml(summaryOf(goal, entity)));
  },
});

/** Reads the kind and the name. Errors: UsageError. */
function readEntity([word, name, ...more]: readonly string[]): { kind: GoalKind; name: string } {
  const kind = goalKinds.find((one) => one === word);
  if (!kind) throw new UsageError(`entity kind must be one of ${goalKinds.join(', ')}`);
  const article = kind === 'application' ? 'an' : 'a';
  if (!name) throw new UsageError(`${kind} name must be supplied when waiting for ${article} ${kind}`);
  if (more.length > 0)
    throw new UsageError(`only one ${kind} name can be supplied as an argument to this command`);
  const isName = {
    application: isApplicationName,
    unit: isUnitName,
    machine: isMachineId,
    model: () => true,
  };
  if (!isName[kind](name)) throw new UsageError(`"${name}" is not valid ${kind} name`);
  return { kind, name };
}

function readGoal(context: CommandContext, query: string, kind: GoalKind): Goal {
  try {
    return parseGoal(query, {
      types: goalTypes,
      kind,
      print: (line) => context.io.stderr.write(`${line}\n`),
    });
  } catch (error) {
    throw withGoalHelp(error, query);
  }
}

function happening({ life }: Attributes): string {
  if (life === 'alive') return 'is running';
  return life === 'dying' ? 'is being removed' : 'has been removed';
}

/** Returns the members that the query read: of the entity itself, and of the entities in its lists, by their names. */
function summaryOf({ reads }: Goal, entity: Attributes): Record<string, unknown> {
  const summary: Record<string, unknown> = { properties: scalars(entity, reads.get('') ?? new Set()) };
  for (const [list, attributes] of reads) {
    const entities = entity[list];
    if (!Array.isArray(entities)) continue;
    summary[list] = Object.fromEntries(
      (entities as readonly Attributes[]).map((one) => [one['name'] ?? one['id'], scalars(one, attributes)]),
    );
  }
  return summary;
}

function scalars(entity: Attributes, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    [...names].sort().flatMap((name) => (Array.isArray(entity[name]) ? [] : [[name, entity[name]]])),
  );
}

function describe(kind: GoalKind, entity: Attributes): string {
  const shown = ['life', 'status', 'workload-status', 'agent-status', 'agents']
    .filter((key) => entity[key] !== undefined)
    .map((key) => `${key} ${wordOf(entity, key)}`);
  return [...shown, waiting(kind, entity)].filter(Boolean).join(', ');
}

/** Describes missing relations or a missing placement that the entity waits for. */
function waiting(kind: GoalKind, entity: Attributes): string {
  const [pending, message] = [wordOf(entity, 'pending'), wordOf(entity, 'workload-message')];
  switch (kind) {
    case 'model':
      return pending === '0' ? '' : `applications pending: ${pending}`;
    case 'application':
      if (pending) return pending;
      return entity['unplaced'] === 0 ? '' : message;
    case 'unit':
      return entity['unplaced'] === true ? message : '';
    default:
      return '';
  }
}

function wordOf(entity: Attributes, key: string): string {
  const value = entity[key];
  return value === undefined || typeof value === 'object' ? '' : String(value);
}
