import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { commas } from '../flags.ts';
import { tellRequirements, toldFlags } from '../requirements.ts';
import { defined } from '../../core/defined.ts';

export const integrate = command({
  name: 'integrate',
  summary: 'Integrate two applications.',
  usage: '<application>[:<endpoint>] <application>[:<endpoint>]',
  details: `Integrates two applications. The endpoints need only be named when more than one relation is possible
between the two. Said is which applications have all that they require by it, and are deployed now.

A subordinate none of whose endpoints fits is integrated with a principal by their implicit juju-info, unless an
endpoint of it with container scope is required: then it belongs beside what provides that.`,
  examples: ['integrate wordpress percona-cluster', 'integrate wordpress:db mysql:server'],
  seeAlso: ['remove-relation', 'pending'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...toldFlags,
    via: commas('--via', 'For cross model integrations, specify the egress subnets for outbound traffic'),
  },
  async run(context, { model, format, via }, args) {
    if (args.length !== 2) throw new UsageError('an integration must involve two applications');
    const { connection } = await context.openModel(model);
    const { endpoints, requirements } = await call(connection, 'Application', 'AddRelation', {
      endpoints: [...args],
      ...defined({ 'via-cidrs': via.length > 0 ? [...via] : undefined }),
    });
    const names = Object.entries(endpoints).map(([application, { name }]) => [application, name]);
    await tellRequirements(context, format, requirements, {
      endpoints: Object.fromEntries(names) as Record<string, string>,
    });
  },
});
