import { hasCode, JujuError } from '../../core/errors.ts';
import { chooseController } from '../../operate/sessions.ts';
import { command, controllerFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { askPassword } from '../users/passwords.ts';
import { logInByPassword } from '../users/log-in.ts';
import { welcome } from '../users/welcome.ts';

export const login = command({
  name: 'login',
  summary: 'Logs a user in to a controller.',
  usage: '[<controller name>]',
  details: `The controller is one that this client knows: by bootstrap, or by register. The password is asked for unless
the client has it, or a macaroon that it got for it. A macaroon is what the client keeps, for a day.`,
  examples: ['login', 'login -u bob', 'login mycontroller -u bob', 'login -u bob --no-prompt'],
  seeAlso: ['register', 'logout', 'change-user-password'],
  completes: ['controller'],
  flags: {
    ...controllerFlags,
    user: text('-u, --user', 'Log in as this local user', { completes: 'user' }),
    noPrompt: bool('--no-prompt', 'Read the password from stdin, without a prompt'),
  },
  async run(context, flags, args) {
    const [named, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (named && flags.controller && named !== flags.controller)
      throw new UsageError('cannot specify both a controller name and -c');
    if (flags.noPrompt && !flags.user)
      throw new UsageError('you must specify a username with --user when using --no-prompt');
    const controller = await chooseController(context.client, named ?? flags.controller);
    const store = await context.store();
    const account = await store.account(controller);
    if (account && flags.user && account.user !== flags.user)
      throw new JujuError(
        '',
        `already logged in as ${account.user}.\n\nRun "grigri logout" first before attempting to log in as a different user.`,
      );
    const user = flags.user || account?.user || (await askUser(context, controller));
    if (!(await isLoggedIn(context, controller))) {
      const password = flags.noPrompt
        ? ((await context.io.stdin.readLine({ hidden: true })) ?? '')
        : await askPassword(context, `please enter password for ${user} on ${controller}: `);
      const details = (await store.controllers())[controller]!;
      await logInByPassword(context, { controller, details, user, password });
    }
    await store.setCurrentController(controller);
    await welcome(context, controller, user);
  },
});

async function askUser(context: CommandContext, controller: string): Promise<string> {
  context.io.stderr.write(`username for ${controller}: `);
  const user = (await context.io.stdin.readLine())?.trim();
  if (!user) throw new UsageError('a user name is needed');
  return user;
}

/** Whether the password or the macaroon that the client has still counts. */
async function isLoggedIn(context: CommandContext, controller: string): Promise<boolean> {
  if (!(await (await context.store()).account(controller))) return false;
  try {
    await context.openController(controller, { asks: false });
    return true;
  } catch (error) {
    if (hasCode(error, 'unauthorized access') || hasCode(error, 'no credentials provided')) return false;
    throw error;
  }
}
