import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { spaceTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';
import { subnetEntry } from '../format/subnets.ts';

export const subnets = command({
  name: 'subnets',
  summary: 'List known subnets.',
  details: `Lists the subnets in which machines of the model have addresses, with their space and the zones of these
machines. --space and --zone limit the list.`,
  examples: ['subnets', 'subnets --space db --format json'],
  seeAlso: ['spaces'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    space: text('--space', 'Filter results by space name'),
    zone: text('--zone', 'Filter results by zone name'),
  },
  async run(context, { model, format, space, zone }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Subnets', 'ListSubnets', {
      ...defined({
        'space-tag': space === '' ? undefined : spaceTag(space),
        zone: zone === '' ? undefined : zone,
      }),
    });
    if (results.length === 0) {
      context.info('No subnets found matching requested criteria.');
      return;
    }
    await context.write(
      render(format, { subnets: Object.fromEntries(results.map((one) => [one.cidr, subnetEntry(one)])) }),
    );
  },
});
