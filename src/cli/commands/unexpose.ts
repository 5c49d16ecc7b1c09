import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { commas } from '../flags.ts';

export const unexpose = command({
  name: 'unexpose',
  summary: 'Removes public availability over the network for an application.',
  usage: '<application name>',
  details: 'With --endpoints, only the ports of these endpoints are closed.',
  examples: ['unexpose apache2'],
  seeAlso: ['expose'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    endpoints: commas(
      '--endpoints',
      'Unexpose only the ports that charms have opened for this comma-delimited list of endpoints',
    ),
  },
  async run(context, { model, endpoints }, args) {
    const [application, ...moreArgs] = args;
    if (!application) throw new UsageError('no application name specified');
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    await call(connection, 'Application', 'Unexpose', { application, 'exposed-endpoints': [...endpoints] });
  },
});
