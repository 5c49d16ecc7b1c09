import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { visibleLine } from '../../kit/visible.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { formatTime } from '../format/time.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { endpointRows, endpointsOf, offerFilter, usersOf, type OfferDetails } from '../offers.ts';
import { timeStyle } from '../time-style.ts';

export const offers = command({
  name: 'offers',
  summary: 'Lists shared endpoints.',
  usage: '[<offer-name>]',
  details: `Lists the offers of the model with the relations that use them, for its admins. The format summary shows a line
for each endpoint and no relations.`,
  examples: [
    'offers',
    'offers mysql',
    'offers --interface db2',
    'offers --active-only',
    'offers --format summary',
  ],
  seeAlso: ['find-offers', 'show-offer', 'suspend-relation'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml', 'summary'),
    application: text('--application', 'Return results matching the application'),
    interface: text('--interface', 'Return results matching the interface name'),
    connectedUser: text('--connected-user', 'Return results where the user has a connection to the offer'),
    allowedConsumer: text(
      '--allowed-consumer',
      'Return results where the user is allowed to consume the offer',
    ),
    activeOnly: bool('--active-only', 'Only return results where the offer is in use'),
  },
  async run(context, flags, args) {
    const [name = '', ...moreArgs] = args;
    noMoreArgs(moreArgs);
    const session = await context.openModel(flags.model);
    const [owner = '', model = ''] = session.model.split('/');
    const { connection, controller } = await context.openController(session.controller);
    const { results } = await call(connection, 'ApplicationOffers', 'ListApplicationOffers', {
      Filters: [
        offerFilter({
          owner,
          model,
          offer: name,
          application: flags.application,
          interface: flags.interface,
          connectedUsers: flags.connectedUser ? [flags.connectedUser] : [],
          allowedUsers: flags.allowedConsumer ? [flags.allowedConsumer] : [],
        }),
      ],
    });
    const found = results
      .filter(({ connections = [] }) => !flags.activeOnly || connections.length > 0)
      .toSorted((a, b) => (a['offer-name'] < b['offer-name'] ? -1 : 1));
    const style = timeStyle(context.io, false);
    const shown = Object.fromEntries(
      found.map((offer) => [
        offer['offer-name'],
        {
          application: offer['application-name'],
          store: controller,
          charm: offer['charm-url'],
          'offer-url': offer['offer-url'],
          endpoints: endpointsOf(offer),
          ...defined({
            connections: connectionsOf(offer, (time) => formatTime(time, style)),
            users: usersOf(offer),
          }),
        },
      ]),
    );
    await context.write(
      render(flags.format, shown, {
        tabular: () => formatSections([{ rows: connectionRows(found) }]),
        summary: () => formatSections([{ rows: summaryRows(found, controller) }]),
      }),
    );
  },
});

function connectionsOf({ connections = [] }: OfferDetails, time: (text: string) => string) {
  if (connections.length === 0) return undefined;
  return connections.map((one) => ({
    'source-model-uuid': one['source-model-tag'].replace(/^model-/, ''),
    username: one.username,
    'relation-id': one['relation-id'],
    endpoint: one.endpoint,
    status: {
      current: one.status.status,
      ...defined({ message: one.status.info || undefined }),
      since: time(one.status.since),
    },
    ...defined({ 'ingress-subnets': one['ingress-subnets'].length > 0 ? one['ingress-subnets'] : undefined }),
  }));
}

function connectionRows(found: readonly OfferDetails[]): string[][] {
  const rows = found.flatMap((offer) => {
    const endpoints = endpointsOf(offer);
    const { connections = [] } = offer;
    if (connections.length === 0) return [[offer['offer-name'], '-', '', '', '', '', '', '']];
    return connections.map((one, n) => [
      n === 0 ? offer['offer-name'] : '',
      one.username,
      String(one['relation-id']),
      visibleLine(one.status.status),
      one.endpoint,
      endpoints[one.endpoint]?.interface ?? '',
      endpoints[one.endpoint]?.role ?? '',
      one['ingress-subnets'].join(','),
    ]);
  });
  if (rows.length === 0) return [];
  return [
    ['Offer', 'User', 'Relation ID', 'Status', 'Endpoint', 'Interface', 'Role', 'Ingress subnets'],
    ...rows,
  ];
}

function summaryRows(found: readonly OfferDetails[], controller: string): string[][] {
  if (found.length === 0) return [];
  return [
    ['Offer', 'Application', 'Charm', 'Connected', 'Store', 'URL', 'Endpoint', 'Interface', 'Role'],
    ...found.flatMap((offer) => {
      const { connections = [] } = offer;
      const active = connections.filter(({ status }) => status.status === 'joined').length;
      const before = [
        offer['offer-name'],
        offer['application-name'],
        offer['charm-url'],
        `${active}/${connections.length}`,
        controller,
        offer['offer-url'],
      ];
      return endpointRows(before, endpointsOf(offer));
    }),
  ];
}
