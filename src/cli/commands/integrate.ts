import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { commas } from '../flags.ts';

export const integrate = command({
  name: 'integrate',
  summary: 'Integrate two applications.',
  usage: '<application>[:<endpoint>] <application>[:<endpoint>]',
  details: `Integrates two applications. The endpoints need only be named when more than one relation is possible
between the two.`,
  examples: ['integrate wordpress percona-cluster', 'integrate wordpress:db mysql:server'],
  seeAlso: ['remove-relation'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    via: commas('--via', 'For cross model integrations, specify the egress subnets for outbound traffic'),
  },
  async run(context, { model, via }, args) {
    if (args.length !== 2) throw new UsageError('an integration must involve two applications');
    const { connection } = await context.openModel(model);
    await call(connection, 'Application', 'AddRelation', {
      endpoints: [...args],
      ...(via.length > 0 ? { 'via-cidrs': [...via] } : {}),
    });
  },
});
