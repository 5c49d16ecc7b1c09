import { call, only } from '../../client/calls.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { registerLine } from '../users/registration.ts';

export const addUser = command({
  name: 'add-user',
  summary: 'Adds a Juju user to a controller.',
  usage: '<user name> [<display name>]',
  details: `The user may log in to the controller, and gets access to models by grant. The command that is printed is for
the new user, who chooses a password by it; it works once.`,
  examples: ['add-user bob', 'add-user mary "Mary of Exampleton" -c mycontroller'],
  seeAlso: ['register', 'grant', 'users', 'show-user', 'disable-user', 'change-user-password', 'remove-user'],
  flags: controllerFlags,
  async run(context, { controller }, args) {
    const [user, displayName = '', ...moreArgs] = args;
    if (!user) throw new UsageError('no username supplied');
    noMoreArgs(moreArgs);
    const session = await context.openController(controller);
    const { results } = await call(session.connection, 'UserManager', 'AddUser', {
      users: [{ username: user, 'display-name': displayName }],
    });
    const { 'secret-key': key = '' } = only(results);
    const shown = displayName === '' ? `User "${user}" added` : `User "${displayName} (${user})" added`;
    await context.write(
      `${shown}\nPlease send this command to ${user}:\n${registerLine(session, user, key)}\n\n"${displayName || user}" has not been granted access to any models. You can use "juju grant" to grant access.\n`,
    );
  },
});
