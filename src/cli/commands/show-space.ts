import { call, errorOf } from '../../client/calls.ts';
import { parseTagOf, spaceTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { render } from '../format/render.ts';

export const showSpace = command({
  name: 'show-space',
  summary: 'Shows information about the network space.',
  usage: '<name>',
  details:
    'Shows the subnets of a space, the applications that are bound to it, and how many machines are in it.',
  examples: ['show-space alpha'],
  seeAlso: ['spaces', 'add-space', 'remove-space'],
  flags: { ...modelFlags, ...formatFlags('yaml', 'json') },
  async run(context, { model, format }, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('space name is required');
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Spaces', 'ShowSpace', {
      entities: [{ tag: spaceTag(name) }],
    });
    const { space, applications, error, 'machine-count': count } = results[0]!;
    if (error) throw errorOf(error);
    const shown = {
      space: {
        id: space.id,
        name: space.name,
        subnets: space.subnets.map((subnet) => ({
          cidr: subnet.cidr,
          'provider-id': subnet['provider-id'] || undefined,
          'provider-network-id': subnet['provider-network-id'] || undefined,
          'vlan-tag': subnet['vlan-tag'],
          zones: subnet.zones.length > 0 ? [...subnet.zones] : undefined,
          'space-id': space.id,
          'space-name': parseTagOf('space', subnet['space-tag']),
        })),
      },
      applications: [...applications],
      'machine-count': count,
    };
    await context.write(render(format, shown));
  },
});
