import { call, errorOf } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { parseTagOf, spaceTag, subnetTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { checkedSpace } from '../spaces.ts';

export const moveToSpace = command({
  name: 'move-to-space',
  summary: 'Update a network space’s CIDR.',
  usage: '<name> <CIDR1> [ <CIDR2> ...]',
  details: `Moves subnets to a space. This is refused when units would lose a space that their application is bound or
constrained to, unless --force is given.`,
  examples: ['move-to-space db-space 172.31.1.0/28', 'move-to-space --force db-space 172.31.1.0/28'],
  seeAlso: ['add-space', 'spaces', 'subnets', 'show-space'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    force: bool(
      '--force',
      'Allow to force a move of subnets to a space even if they are in use on another machine.',
    ),
  },
  async run(context, { model, format, force }, args) {
    const [given, ...cidrs] = args;
    const name = checkedSpace(given);
    if (cidrs.length === 0) throw new UsageError('no CIDR specified');
    const { connection } = await context.openModel(model);
    const { results: found } = await call(connection, 'Subnets', 'SubnetsByCIDR', { cidrs });
    const subnets = found.map(({ subnets: matching = [], error }, n) => {
      if (error) throw errorOf(error);
      if (matching.length === 0) throw new JujuError('not found', `subnet "${cidrs[n]}" not found`);
      return subnetTag(matching[0]!.id);
    });
    const { results } = await call(connection, 'Spaces', 'MoveSubnets', {
      args: [{ subnets, 'space-tag': spaceTag(name), force }],
    });
    const { error, 'moved-subnets': moved = [], 'new-space': to } = results[0]!;
    if (error) throw errorOf(error);
    const shown = moved.map(({ cidr, 'old-space': from }) => ({
      from: parseTagOf('space', from),
      to: parseTagOf('space', to),
      cidr,
    }));
    await context.write(
      render(format, shown, {
        tabular: () =>
          shown.map(({ from, to, cidr }) => `Subnet ${cidr} moved from ${from} to ${to}\n`).join(''),
      }),
    );
  },
});
