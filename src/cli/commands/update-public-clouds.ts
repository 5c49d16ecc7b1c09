import { command } from '../command.ts';
import { scopeFlags } from '../clouds/where.ts';
import { noMoreArgs } from '../errors.ts';

export const updatePublicClouds = command({
  name: 'update-public-clouds',
  summary: 'Updates public cloud information available to grigri.',
  details:
    'grigri knows the clouds of its own list, or those of a public-clouds.yaml in its folder, and downloads nothing.',
  examples: ['update-public-clouds'],
  seeAlso: ['clouds', 'add-cloud'],
  flags: scopeFlags,
  run(context, _flags, args) {
    noMoreArgs(args);
    context.info('Your list of public clouds is up to date, see `grigri clouds --client`.');
    return Promise.resolve();
  },
});
