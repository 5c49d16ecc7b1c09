import { call, only } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { command, controllerFlags, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { accessOf, endpointRows, endpointsOf, openOffers, usersOf } from '../offers.ts';

export const showOffer = command({
  name: 'show-offer',
  summary: 'Shows extended information about the offered application.',
  usage: '[<controller>:]<offer url>',
  details:
    'Shows endpoints, description and access of an offer. One of the current model may be given by its name.',
  examples: ['show-offer fred/prod.db2', 'show-offer db2 --format yaml'],
  seeAlso: ['find-offers', 'offers'],
  flags: { ...modelFlags, ...controllerFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, controller: chosen, format }, args) {
    const [text, ...moreArgs] = args;
    if (!text) throw new UsageError('must specify endpoint URL');
    noMoreArgs(moreArgs);
    const { session, urls } = await openOffers(context, { model, controller: chosen }, [text]);
    const { connection, controller, user } = session;
    const asked = { 'offer-urls': [...urls] };
    const { results } = await call(connection, 'ApplicationOffers', 'ApplicationOffers', asked);
    const offer = only(results).result!;
    const name = `${controller}:${offer['offer-url']}`;
    const shown = {
      ...defined({ description: offer['application-description'] || undefined }),
      access: accessOf(offer, user),
      endpoints: endpointsOf(offer),
      ...defined({ users: usersOf(offer) }),
    };
    await context.write(
      render(
        format,
        { [name]: shown },
        {
          tabular: () =>
            formatSections([
              {
                rows: [
                  ['Store', 'URL', 'Access', 'Description', 'Endpoint', 'Interface', 'Role'],
                  ...endpointRows(
                    [controller, offer['offer-url'], shown.access, offer['application-description']],
                    shown.endpoints,
                  ),
                ],
              },
            ]),
        },
      ),
    );
  },
});
