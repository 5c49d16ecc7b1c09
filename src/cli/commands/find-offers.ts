import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { accessOf, endpointsOf, offerFilter, usersOf } from '../offers.ts';

export const findOffers = command({
  name: 'find-offers',
  summary: 'Find offered application endpoints.',
  usage: '[<controller>:][<owner>/]<model>',
  details: 'Finds the offers that you have access to, in all models of the controller or in one.',
  examples: [
    'find-offers',
    'find-offers fred/prod',
    'find-offers --interface mysql',
    'find-offers --offer db2',
  ],
  seeAlso: ['show-offer', 'consume'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    interface: text('--interface', 'Return results matching the interface name'),
    offer: text('--offer', 'Return results matching the offer name'),
    url: text('--url', 'Return results matching the offer URL'),
  },
  async run(context, flags, args) {
    noMoreArgs(args.slice(1));
    const place = args[0] ?? flags.url;
    const colon = place.indexOf(':');
    const controllerName = colon < 0 ? flags.controller : place.slice(0, colon);
    const { connection, controller, user } = await context.openController(controllerName);
    const rest = place.slice(colon + 1);
    const slash = rest.indexOf('/');
    const path = rest.slice(slash + 1);
    const dot = path.indexOf('.');
    const model = dot < 0 ? path : path.slice(0, dot);
    const filter = offerFilter({
      owner: slash < 0 ? (model === '' ? '' : user) : rest.slice(0, slash),
      model,
      offer: flags.offer || (dot < 0 ? '' : path.slice(dot + 1)),
      interface: flags.interface,
    });
    const { results } = await call(connection, 'ApplicationOffers', 'FindApplicationOffers', {
      Filters: [filter],
    });
    if (results.length === 0) throw new JujuError('not found', 'no matching application offers found');
    const found = results.toSorted((a, b) => (a['offer-url'] < b['offer-url'] ? -1 : 1));
    const shown = found.map((one) => [
      `${controller}:${one['offer-url']}`,
      {
        access: accessOf(one, user),
        endpoints: endpointsOf(one),
        ...defined({ users: usersOf(one) }),
      },
    ]);
    await context.write(
      render(flags.format, Object.fromEntries(shown), {
        tabular: () =>
          formatSections([
            {
              rows: [
                ['Store', 'URL', 'Access', 'Interfaces'],
                ...found.map((one) => [
                  controller,
                  one['offer-url'],
                  accessOf(one, user),
                  Object.entries(endpointsOf(one))
                    .map(([name, { interface: of }]) => `${of}:${name}`)
                    .join(', '),
                ]),
              ],
            },
          ]),
      }),
    );
  },
});
