import { call, only } from '../../client/calls.ts';
import { userTag } from '../../wire/tags.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { timeStyle } from '../time-style.ts';
import { shownUser } from '../users/shown-user.ts';

export const showUser = command({
  name: 'show-user',
  summary: 'Show information about a user.',
  usage: '[<user name>]',
  details: 'Without a name, the user who is logged in is shown.',
  examples: ['show-user', 'show-user jsmith', 'show-user --format json'],
  seeAlso: ['add-user', 'register', 'users'],
  completes: ['user'],
  flags: {
    ...controllerFlags,
    ...formatFlags('yaml', 'json'),
    exactTime: bool('--exact-time', 'Use full timestamp for connection times'),
  },
  async run(context, flags, args) {
    noMoreArgs(args.slice(1));
    const session = await context.openController(flags.controller);
    const { results } = await call(session.connection, 'UserManager', 'UserInfo', {
      entities: [{ tag: userTag(args[0] ?? session.user) }],
      'include-disabled': true,
    });
    const shown = shownUser(only(results).result!, timeStyle(context.io, false), flags.exactTime);
    await context.write(render(flags.format, shown));
  },
});
