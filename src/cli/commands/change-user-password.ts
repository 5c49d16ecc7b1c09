import { call, only } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import { userTag } from '../../wire/tags.ts';
import { command, controllerFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { askNewPassword, checkedPassword } from '../users/passwords.ts';
import { logInByPassword } from '../users/log-in.ts';
import { registerLine } from '../users/registration.ts';

export const changeUserPassword = command({
  name: 'change-user-password',
  summary: 'Changes the password for the current or specified Juju user.',
  usage: '[<user name>]',
  details: `The password is that of the user who is logged in, or, for superusers, of the one that is named. With --reset, a
user's password becomes invalid, and the command that is printed lets the user choose another one.`,
  examples: ['change-user-password', 'change-user-password bob', 'change-user-password bob --reset'],
  seeAlso: ['add-user', 'register'],
  completes: ['user'],
  flags: {
    ...controllerFlags,
    reset: bool('--reset', 'Reset user password'),
    noPrompt: bool('--no-prompt', 'Read the password from stdin, without a prompt'),
  },
  async run(context, { controller, reset, noPrompt }, args) {
    noMoreArgs(args.slice(1));
    const session = await context.openController(controller);
    const user = args[0] ?? session.user;
    await (reset ? resetPassword(context, session, user) : setPassword(context, session, user, noPrompt));
  },
});

async function resetPassword(
  context: CommandContext,
  session: ControllerSession,
  user: string,
): Promise<void> {
  if (user === session.user) throw new JujuError('', 'reset is not possible for the current user');
  const { results } = await call(session.connection, 'UserManager', 'ResetPassword', {
    entities: [{ tag: userTag(user) }],
  });
  const { 'secret-key': key = '' } = only(results);
  await context.write(
    `Password for "${user}" has been reset.\nAsk the user to run:\n${registerLine(session, user, key)}\n`,
  );
}

async function setPassword(
  context: CommandContext,
  session: ControllerSession,
  user: string,
  noPrompt: boolean,
): Promise<void> {
  const password = noPrompt
    ? checkedPassword(await context.io.stdin.readLine({ hidden: true }))
    : await askNewPassword(context, { first: 'new password: ', again: 'type new password again: ' });
  const { results } = await call(session.connection, 'UserManager', 'SetPassword', {
    changes: [{ tag: userTag(user), password }],
  });
  only(results);
  if (user !== session.user) return context.info(`Password for "${user}" has been changed.`);
  await logInByPassword(context, { ...session, password });
  context.info('Your password has been changed.');
}
