import { call } from '../../client/calls.ts';
import { isOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { consumeOffer } from '../../operate/offers.ts';
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

An end may be an offer of another model, [<controller>:][<user>/]<model>.<offer>[:<endpoint>]: it is consumed first. --via names the
networks that the traffic to it comes from.

A subordinate application without a matching endpoint is integrated with a principal by their implicit endpoint
juju-info, unless one of its endpoints with container scope is required: it then belongs next to the provider of that
endpoint.`,
  examples: [
    'integrate wordpress percona-cluster',
    'integrate wordpress:db mysql:server',
    'integrate wordpress someone/prod.mysql --via 192.168.0.0/16',
    'integrate wordpress production:admin/prod.mysql:db',
  ],
  seeAlso: ['remove-relation', 'consume', 'find-offers', 'pending'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
    via: commas('--via', 'For cross model integrations, specify the egress subnets for outbound traffic'),
  },
  async run(context, { model, format, via }, args) {
    if (args.length !== 2) throw new UsageError('an integration must involve two applications');
    const session = await context.openModel(model);
    const ends: string[] = [];
    for (const arg of args) ends.push(await endOf(context, session, arg));
    const { endpoints, requirements } = await call(session.connection, 'Application', 'AddRelation', {
      endpoints: ends,
      ...defined({ 'via-cidrs': via.length > 0 ? [...via] : undefined }),
    });
    const names = Object.entries(endpoints).map(([application, { name }]) => [application, name]);
    await printRequirements(context, format, requirements, {
      endpoints: Object.fromEntries(names) as Record<string, string>,
    });
  },
});

/** Returns the endpoint by its name in the model; an offer is consumed first. */
async function endOf(context: CommandContext, session: ModelSession, text: string): Promise<string> {
  if (!isOfferUrl(text)) return text;
  const { name } = await consumeOffer((controller) => context.openController(controller), session, { text });
  const { endpoint } = parseOfferUrl(text);
  return endpoint === '' ? name : `${name}:${endpoint}`;
}
