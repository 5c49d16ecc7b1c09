import { command } from '../command.ts';
import { scopeFlags } from '../clouds/where.ts';
import { noMoreArgs } from '../errors.ts';

export const updatePublicClouds = command({
  name: 'update-public-clouds',
  summary: 'Updates public cloud information available to grigri.',
  details:
    'grigri has no built-in list of public clouds, so this command changes nothing. Use add-cloud to define clouds.',
  examples: ['update-public-clouds'],
  seeAlso: ['clouds', 'add-cloud'],
  flags: scopeFlags,
  run(context, _flags, args) {
    noMoreArgs(args);
    context.info('There are no public clouds to update.');
    return Promise.resolve();
  },
});
