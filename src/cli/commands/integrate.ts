import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { commas } from '../flags.ts';
import { printRequirements, requirementsFlags } from '../requirements.ts';
import { defined } from '../../core/defined.ts';

export const integrate = command({
  name: 'integrate',
  summary: 'Integrate two applications.',
  usage: '<application>[:<endpoint>] <application>[:<endpoint>]',
  details: `Integrates two applications. The endpoints need to be specified only when more than one relation is possible
between the two. Applications whose requirements are met by the relation, and which are therefore deployed now, are
listed.

A subordinate application without a matching endpoint is integrated with a principal by their implicit endpoint
juju-info, unless one of its endpoints with container scope is required: it then belongs next to the provider of that
endpoint.`,
  examples: ['integrate wordpress percona-cluster', 'integrate wordpress:db mysql:server'],
  seeAlso: ['remove-relation', 'pending'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
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
    await printRequirements(context, format, requirements, {
      endpoints: Object.fromEntries(names) as Record<string, string>,
    });
  },
});
