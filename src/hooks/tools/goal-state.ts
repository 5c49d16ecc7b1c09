import type { HookContext } from '../context.ts';
import { atMost, defineTool } from '../tool.ts';

export const goalState = defineTool({
  name: 'goal-state',
  args: '',
  purpose: "Print the status of the charm's peers and related units.",
  output: 'yaml',
  formats: ['json', 'yaml'],
  flags: {},
  async run({ args, context }) {
    atMost(args, 0);
    const { units, relations } = await context.goalState();
    return { units: shown(units), relations: mapValues(relations, shown) };
  },
});

type Goals = Awaited<ReturnType<HookContext['goalState']>>['units'];

/** Formats times as charms read them: in UTC, to the second, with a space. */
function shown(goals: Goals): Goals {
  return mapValues(goals, ({ status, since }) => ({
    status,
    since: since.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/, '$1 $2Z'),
  }));
}

function mapValues<V, W>(map: Readonly<Record<string, V>>, of: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, of(value)]));
}
