import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { sorted } from '../format/yaml.ts';
import { actionsOf, applicationIn } from '../tasks/actions-of.ts';
import { inOrder } from '../tasks/describe.ts';

export const actions = command({
  name: 'actions',
  summary: 'List actions defined for an application.',
  usage: '<application>',
  details: `Lists the actions that the charm of an application has. --schema shows the full schema of their
parameters.`,
  examples: ['actions postgresql', 'actions postgresql --format yaml', 'actions postgresql --schema'],
  seeAlso: ['run', 'show-action'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...formatFlags('default', 'json', 'tabular', 'yaml'),
    schema: bool('--schema', 'Display the full action schema'),
  },
  async run(context, flags, [name, ...more]) {
    const application = applicationIn(name);
    noMoreArgs(more);
    if (flags.schema && flags.format === 'tabular')
      throw new Error('full schema not compatible with tabular output');
    const { connection } = await context.openModel(flags.model);
    const found = sorted(await actionsOf(connection, application));
    if (flags.schema) {
      const schemas = Object.fromEntries(found.map(([action, { params }]) => [action, inOrder(params)]));
      return context.write(render(flags.format, schemas));
    }
    const rows = found.map(([action, { description }]) => [action, description || 'No description'] as const);
    const short = (): string => {
      const lines = rows.map(([action, description]) => [action, description.trim()]);
      return formatSections([{ rows: [['Action', 'Description'], ...lines] }]);
    };
    if (rows.length === 0 && ['default', 'tabular'].includes(flags.format))
      return context.info(`No actions defined for ${application}.`);
    await context.write(render(flags.format, Object.fromEntries(rows), { default: short, tabular: short }));
  },
});
