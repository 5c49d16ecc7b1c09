import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { commas } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const expose = command({
  name: 'expose',
  summary: 'Makes an application publicly available over the network.',
  usage: '<application name>',
  details: `Adjusts the firewall rules of the application's machines so that the ports opened by its charm can be
reached from outside. --endpoints limits this to the ports of these endpoints, --to-cidrs to these networks.`,
  examples: ['expose apache2', 'expose percona --endpoints=db-admin --to-cidrs=10.0.0.0/24'],
  seeAlso: ['unexpose'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    endpoints: commas(
      '--endpoints',
      'Expose only the ports that charms have opened for this comma-delimited list of endpoints',
    ),
    toSpaces: commas(
      '--to-spaces',
      'A comma-delimited list of spaces that should be able to access the application ports once exposed',
    ),
    toCidrs: commas(
      '--to-cidrs',
      'A comma-delimited list of CIDRs that should be able to access the application ports once exposed',
    ),
  },
  async run(context, { model, endpoints, toSpaces, toCidrs }, args) {
    const [application, ...moreArgs] = args;
    if (!application) throw new UsageError('no application name specified');
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    const limited = endpoints.length + toSpaces.length + toCidrs.length > 0;
    const access = {
      ...defined({
        'expose-to-spaces': toSpaces.length > 0 ? [...toSpaces] : undefined,
        'expose-to-cidrs': toCidrs.length > 0 ? [...toCidrs] : undefined,
      }),
    };
    await call(connection, 'Application', 'Expose', {
      application,
      ...(limited
        ? {
            'exposed-endpoints': Object.fromEntries(
              (endpoints.length > 0 ? endpoints : ['']).map((name) => [name, access]),
            ),
          }
        : {}),
    });
  },
});
