import { JujuError } from '../../core/errors.ts';
import { isControllerName } from '../../core/names.ts';
import { decodeRegistrationToken, type RegistrationToken } from '../../wire/registration-token.ts';
import { browserFlags, command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { askNewPassword } from '../users/passwords.ts';
import { logInByPassword } from '../users/log-in.ts';
import { welcome } from '../users/welcome.ts';

export const registerCommand = command({
  name: 'register',
  summary: 'Registers a controller.',
  usage: '<registration string>',
  details: `The registration string is what add-user, or change-user-password --reset, has printed for you. You choose a
password, and a name for the controller on this client. With --replace, a controller that this client knows already is
registered anew, for another user or after a reset.`,
  examples: [
    'register MFATA3JvZDAnExMxMDQuMTU0LjQyLjQ0OjE3MDcwExAxMC4xMjguMC4yOjE3MDcwBCBEFCaXerhNImkKKabuX5ULWf2Bp4AzPNJEbXVWgraLrAA=',
  ],
  seeAlso: ['add-user', 'change-user-password', 'unregister', 'login'],
  flags: { ...browserFlags, replace: bool('--replace', 'Replace any existing controller') },
  async run(context, { replace }, args) {
    const [text, ...moreArgs] = args;
    if (!text) throw new UsageError('registration data missing');
    noMoreArgs(moreArgs);
    if (text.includes('.'))
      throw new JujuError(
        'not supported',
        'public controllers are not registered by their host names; see "grigri help login" for controllers at an address',
      );
    const token = decodeRegistrationToken(text);
    await refuseKnownAddress(context, token, replace);
    const password = await askNewPassword(context, {
      first: 'Enter a new password: ',
      again: 'Confirm password: ',
    });
    const name = await askName(context, token, replace);
    const { uuid, caCert } = await context.progress(
      'Registering',
      context.io.register(token, password, context.io.signal).catch((error: unknown) => {
        throw expired(error);
      }),
    );
    const store = await context.store();
    const known = Object.entries(await store.controllers()).find(([, details]) => details.uuid === uuid);
    if (known && (!replace || known[0] !== name)) throw alreadyKnown(known[0], token.user);
    if (known || replace) await store.removeController(name);
    const details = { uuid, 'api-endpoints': token.addresses, 'ca-cert': caCert, cloud: '' };
    await store.addController(name, details, { user: token.user });
    await store.setCurrentController(name);
    await logInByPassword(context, { controller: name, details, user: token.user, password });
    await welcome(context, name, token.user);
  },
});

/** Refuses a controller that the client knows before its token is used up. */
async function refuseKnownAddress(
  context: CommandContext,
  { addresses, user }: RegistrationToken,
  replace: boolean,
): Promise<void> {
  if (replace) return;
  for (const [name, details] of Object.entries(await (await context.store()).controllers()))
    if (details['api-endpoints'].some((address) => addresses.includes(address)))
      throw alreadyKnown(name, user);
}

function alreadyKnown(name: string, user: string): JujuError {
  return new JujuError(
    'already exists',
    `This controller has already been registered on this client as "${name}".\nTo log in as "${user}" run "grigri login -c ${name} -u ${user}" after "grigri logout -c ${name}",\nor register it under that name with --replace.`,
  );
}

/** Asks for the controller's name until a free name is given. */
async function askName(
  context: CommandContext,
  { controllerName }: RegistrationToken,
  replace: boolean,
): Promise<string> {
  const taken = await (await context.store()).controllers();
  const isFree = (name: string): boolean => replace || !Object.hasOwn(taken, name);
  const proposed = isControllerName(controllerName) && isFree(controllerName) ? controllerName : '';
  for (;;) {
    context.io.stderr.write(`Enter a name for this controller${proposed && ` [${proposed}]`}: `);
    const answer = await context.io.stdin.readLine();
    const name = answer?.trim() || proposed;
    if (isControllerName(name) && isFree(name)) return name;
    if (answer === undefined) throw new JujuError('', 'a name for the controller is needed');
    context.io.stderr.write(
      name === ''
        ? 'You must specify a non-empty controller name.\n'
        : isControllerName(name)
          ? `Controller "${name}" already exists.\n`
          : `"${name}" is not a valid controller name\n`,
    );
  }
}

function expired(error: unknown): unknown {
  if (!(error instanceof JujuError) || error.code === 'try again') return error;
  return new JujuError(
    error.code,
    `${error.message}\n\nThe registration string may have been used already, or replaced by a newer one.\nAsk whoever gave it to you for another one ("change-user-password <user> --reset").`,
    { cause: error },
  );
}
