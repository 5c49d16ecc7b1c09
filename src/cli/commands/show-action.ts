import { command, modelFlags } from '../command.ts';
import { Exit, noMoreArgs, UsageError } from '../errors.ts';
import { sorted, toYaml } from '../format/yaml.ts';
import { actionsOf, applicationIn } from '../tasks/actions-of.ts';

export const showAction = command({
  name: 'show-action',
  summary: 'Shows detailed information about an action.',
  usage: '<application> <action>',
  details: `Shows what an action does, and the types and descriptions of its parameters.`,
  examples: ['show-action postgresql backup'],
  seeAlso: ['actions', 'run'],
  completes: ['application'],
  flags: { ...modelFlags },
  async run(context, flags, [name, action, ...more]) {
    const application = applicationIn(name);
    if (action === undefined) throw new UsageError('no action specified');
    noMoreArgs(more);
    const { connection } = await context.openModel(flags.model);
    const found = await actionsOf(connection, application);
    const spec = Object.hasOwn(found, action) ? found[action] : undefined;
    if (!spec) {
      context.info(`unknown action ${JSON.stringify(action)}\n`);
      throw new Exit(1);
    }
    await context.write(`${spec.description}\n\nArguments\n${argumentsOf(spec.params)}\n`);
  },
});

function argumentsOf({ properties }: Readonly<Record<string, unknown>>): string {
  if (typeof properties !== 'object' || properties === null) return '{}\n';
  const shown = sorted(properties as Record<string, unknown>).flatMap(([name, property]) => {
    if (typeof property !== 'object' || property === null) return [];
    const { type, description } = property as { type?: unknown; description?: unknown };
    return [[name, { type: type ?? null, description: description ?? null }] as const];
  });
  return toYaml(Object.fromEntries(shown));
}
