import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { subnetDetails } from '../format/subnets.ts';
import { formatSections } from '../format/tabwriter.ts';

type Space = ResultOf<'Spaces', 'ListSpaces'>['results'][number];

export const spaces = command({
  name: 'spaces',
  summary: 'List known spaces, including associated subnets.',
  details: `Lists the spaces of the model with their subnets. Subnets are known from the addresses of machines; each is
in the space "alpha" until it is moved to another one.`,
  examples: ['spaces', 'spaces --short', 'spaces --format yaml'],
  seeAlso: ['add-space', 'show-space', 'move-to-space', 'subnets'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    short: bool('--short', 'only display spaces.'),
  },
  async run(context, { model, format, short }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Spaces', 'ListSpaces', {});
    const shown = short
      ? { spaces: results.map(({ name }) => name) }
      : {
          spaces: results.map(({ id, name, subnets }) => ({
            id,
            name,
            subnets: Object.fromEntries(subnets.map((one) => [one.cidr, subnetDetails(one)])),
          })),
        };
    await context.write(
      render(format, shown, {
        tabular: () => (short ? shortTable(results) : table(results)),
      }),
    );
  },
});

function shortTable(spaces: readonly Space[]): string {
  return formatSections([{ rows: [['Space'], ...spaces.map(({ name }) => [name])] }]);
}

function table(spaces: readonly Space[]): string {
  const rows = spaces.flatMap(({ name, id, subnets }) => {
    const [first = '', ...others] = subnets.map(({ cidr }) => cidr);
    return [[name, id, first], ...others.map((cidr) => ['', '', cidr])];
  });
  return formatSections([{ rows: [['Name', 'Space ID', 'Subnets'], ...rows] }]);
}
