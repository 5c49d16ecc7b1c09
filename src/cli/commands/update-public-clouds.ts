import { command } from '../command.ts';
import { whereFlags } from '../clouds/where.ts';
import { noMoreArgs } from '../errors.ts';

export const updatePublicClouds = command({
  name: 'update-public-clouds',
  summary: 'Updates public cloud information available to grigri.',
  details:
    'There are no public clouds that grigri knows of by itself: it changes nothing. add-cloud defines clouds.',
  examples: ['update-public-clouds'],
  seeAlso: ['clouds', 'add-cloud'],
  flags: whereFlags,
  run(context, _flags, args) {
    noMoreArgs(args);
    context.info('There are no public clouds to update.');
    return Promise.resolve();
  },
});
