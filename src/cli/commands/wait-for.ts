import { parseGoal, type Attributes } from '../../core/goal.ts';
import { defaultGoals, goalKinds, type GoalKind } from '../../operate/wait/goal.ts';
import { waitForGoal } from '../../operate/wait/wait-for-goal.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { duration, text } from '../flags.ts';
import { waitingOperator } from '../wait.ts';

export const waitFor = command({
  name: 'wait-for',
  summary: 'Wait for an entity to reach a specified state.',
  usage: '<application|machine|model|unit> <name>',
  details: `Waits until the entity matches --query: comparisons of life, status, workload-status, agent-status,
workload-message, name and charm with == or !=, combined with && and ||. By default, an application or unit must be
active with idle agents, a machine must be started, and a model must be available.

For required relations, an application has deployable ("true" or "false"), pending (what it waits for, "" when nothing
is missing) and unplaced (the number of units without a machine); a unit has unplaced ("true" or "false"); a model has
pending (the number of pending applications).`,
  examples: [
    'wait-for application mysql',
    'wait-for unit mysql/0 --query=\'workload-status=="active"\'',
    'wait-for machine 0 --timeout 5m',
    'wait-for application wordpress --query=\'deployable=="true"\'',
    'wait-for model shop --query=\'pending=="0"\'',
  ],
  seeAlso: ['status', 'pending'],
  completes: [goalKinds, 'application'],
  flags: {
    ...modelFlags,
    query: text('--query', 'Query the goal state'),
    timeout: duration('--timeout', 'How long to wait, before timing out', '10m0s'),
  },
  async run(context, flags, args) {
    const [word, name, ...moreArgs] = args;
    const kind = goalKinds.find((one) => one === word);
    if (!kind) throw new UsageError(`entity kind must be one of ${goalKinds.join(', ')}`);
    if (!name) throw new UsageError(`${kind} name must be supplied`);
    noMoreArgs(moreArgs);
    const goal = parseQuery(flags.query || defaultGoals[kind]);
    const { connection } = await context.openModel(kind === 'model' ? name : flags.model);
    const operator = waitingOperator(
      context,
      ({ entity }: { readonly entity: Attributes | undefined }) =>
        `waiting for ${kind} "${name}": ${entity ? describe(kind, entity) : 'does not exist yet'}`,
    );
    await waitForGoal(operator, connection, { kind, name, goal, timeoutMs: flags.timeout ?? 10 * 60_000 });
    context.info(`${kind} "${name}" condition met`);
  },
});

function describe(kind: GoalKind, entity: Attributes): string {
  const shown = ['life', 'status', 'workload-status', 'agent-status', 'agents']
    .filter((key) => entity[key] !== undefined)
    .map((key) => `${key} ${entity[key]}`);
  return [...shown, waiting(kind, entity)].filter(Boolean).join(', ');
}

/** Describes missing relations or a missing placement that the entity waits for. */
function waiting(
  kind: GoalKind,
  { pending, unplaced, 'workload-message': message = '' }: Attributes,
): string {
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

/** Parses the query. Errors: UsageError. */
function parseQuery(query: string): ReturnType<typeof parseGoal> {
  try {
    return parseGoal(query);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
