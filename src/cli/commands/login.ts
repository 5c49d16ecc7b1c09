import { hasCode, JujuError } from '../../core/errors.ts';
import { chooseController } from '../../operate/sessions.ts';
import { command, controllerFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, text, type FlagValues } from '../flags.ts';
import { logInByPassword } from '../users/log-in.ts';
import { logInAt } from '../users/new-controller.ts';
import { askPassword } from '../users/passwords.ts';
import { welcome } from '../users/welcome.ts';

const flags = {
  ...controllerFlags,
  user: text('-u, --user', 'Log in as this local user', { completes: 'user' }),
  noPrompt: bool('--no-prompt', 'Read the password from stdin, without a prompt'),
  trust: bool('--trust', 'With --no-prompt: trust the CA certificate that the controller presents'),
};
type Flags = FlagValues<typeof flags>;

export const login = command({
  name: 'login',
  summary: 'Logs a user in to a controller.',
  usage: '[<controller name> | <host>[:<port>]]',
  details: `The controller is one that this client knows: by bootstrap, by register, or by an earlier login. The password is asked for unless
the client has it, or a macaroon that it got for it. A macaroon is what the client keeps, for a day.

A controller that the client does not know is named by the address of its API, and gets the name that -c gives, or that of
its host. The fingerprint of its CA certificate is shown, which show-controller shows where the controller is known
(ca-fingerprint): compare them before you trust it, since the password is sent to whoever has the certificate. Without a
port, it is 443. The CA must be the controller's own: public controllers, which have a certificate for their host name,
and their aliases are not known.`,
  examples: [
    'login',
    'login -u bob',
    'login mycontroller -u bob',
    'login -u bob --no-prompt',
    'login 10.0.0.5:17070 -c mycontroller',
  ],
  seeAlso: ['register', 'logout', 'change-user-password', 'show-controller', 'unregister'],
  completes: ['controller'],
  flags,
  async run(context, given, args) {
    const [named, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    const { controller, user } = await (named && !(await isKnown(context, named))
      ? logInElsewhere(context, given, named)
      : logInToKnown(context, given, named));
    await (await context.store()).setCurrentController(controller);
    await welcome(context, controller, user);
  },
});

async function isKnown(context: CommandContext, name: string): Promise<boolean> {
  return Object.hasOwn(await (await context.store()).controllers(), name);
}

interface LoggedInTo {
  readonly controller: string;
  readonly user: string;
}

async function logInElsewhere(context: CommandContext, given: Flags, host: string): Promise<LoggedInTo> {
  try {
    if (!/[.:]/.test(host)) throw new JujuError('', `"${host}" is not a known public controller`);
    const { controller, trust, noPrompt } = given;
    const ask = async (title: string, known: string | undefined) => {
      const user = await userFor(context, given, known);
      return { user, password: await passwordFor(context, given, { controller: title, user }) };
    };
    return await logInAt(context, { host, controller, trust, noPrompt, ask });
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(error.code, `cannot log into "${host}": ${error.message}`, { cause: error });
  }
}

async function logInToKnown(
  context: CommandContext,
  given: Flags,
  named: string | undefined,
): Promise<LoggedInTo> {
  if (named && given.controller && named !== given.controller)
    throw new UsageError('cannot specify both a controller name and -c');
  const controller = await chooseController(context.client, named ?? given.controller);
  const store = await context.store();
  const known = (await store.account(controller))?.user;
  const user = await userFor(context, given, known);
  if (!(await isLoggedIn(context, controller))) {
    const password = await passwordFor(context, given, { controller, user });
    const details = (await store.controllers())[controller]!;
    await logInByPassword(context, { controller, details, user, password });
  }
  return { controller, user };
}

/**
 * Returns the given user, the `known` user who is logged in, or the one entered at the terminal. Errors: '' for another
 * user than `known`.
 */
async function userFor(
  context: CommandContext,
  { user, noPrompt }: Flags,
  known: string | undefined,
): Promise<string> {
  if (known && user && known !== user)
    throw new JujuError(
      '',
      `already logged in as ${known}.\n\nRun "grigri logout" first before attempting to log in as a different user.`,
    );
  if (user || known) return user || known!;
  if (noPrompt) throw new JujuError('', 'cannot deduce user, please pass --user with --no-prompt');
  context.io.stderr.write('Enter username: ');
  const answer = (await context.io.stdin.readLine())?.trim();
  if (!answer) throw new UsageError('a user name is needed');
  return answer;
}

async function passwordFor(
  context: CommandContext,
  { noPrompt }: Flags,
  { controller, user }: LoggedInTo,
): Promise<string> {
  if (noPrompt) return (await context.io.stdin.readLine({ hidden: true })) ?? '';
  return askPassword(context, `please enter password for ${user} on ${controller}: `);
}

/** Whether the password or the macaroon that the client has is still valid. */
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
