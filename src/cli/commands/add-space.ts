import { call, errorOf } from '../../client/calls.ts';
import { spaceTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { checkedSpace } from '../spaces.ts';

export const addSpace = command({
  name: 'add-space',
  summary: 'Add a new network space.',
  usage: '<name> [<CIDR1> <CIDR2> ...]',
  details: `Adds a space, and moves the named subnets into it. Subnets are known once a machine has an address in them:
see "subnets".`,
  examples: ['add-space db', 'add-space db 10.0.8.0/24 10.0.9.0/24'],
  seeAlso: ['spaces', 'subnets', 'move-to-space', 'remove-space'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [given, ...cidrs] = args;
    const name = checkedSpace(given);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Spaces', 'CreateSpaces', {
      spaces: [{ 'space-tag': spaceTag(name), cidrs, public: false }],
    });
    const error = results[0]?.error;
    if (error) throw errorOf({ ...error, message: `cannot add space "${name}": ${error.message}` });
    context.info(
      `added space "${name}" with ${cidrs.length > 0 ? `subnets ${cidrs.join(', ')}` : 'no subnets'}`,
    );
  },
});
