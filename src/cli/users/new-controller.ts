/** Login to a controller at an address that is given, instead of one that this client knows. */
import { JujuError } from '../../core/errors.ts';
import { isControllerName } from '../../core/names.ts';
import type { ControllerDetails } from '../../operate/records.ts';
import type { CommandContext } from '../context.ts';
import { keepLogin, tryPassword } from './log-in.ts';
import { trustAuthority } from './trust-authority.ts';

interface AddressLogin {
  readonly host: string;
  /** Name that the controller gets; '' means that of its host. */
  readonly controller: string;
  readonly trust: boolean;
  readonly noPrompt: boolean;
  /** Asks for a value that is not given. `title`: what the prompt names. */
  readonly ask: (title: string, known: string | undefined) => Promise<{ user: string; password: string }>;
}

/**
 * Logs in to the controller at `host`, which gets a name on this client. Returns the name and the user. Errors: '' for
 * an invalid host or name, for one that another controller has, and when the controller's CA is not trusted; those of
 * tryPassword.
 */
export async function logInAt(
  context: CommandContext,
  { host, controller, trust, noPrompt, ask }: AddressLogin,
): Promise<{ controller: string; user: string }> {
  const store = await context.store();
  const address = withPort(host);
  const known = await store.controllers();
  await refuseKnownAddress(context, known, address);
  const name = controller || host;
  if (!isControllerName(name))
    throw new JujuError(
      '',
      `cannot use "${name}" as a controller name - use -c option to choose a different one`,
    );
  const before = Object.hasOwn(known, name) ? known[name] : undefined;
  const account = before && (await store.account(name));
  const caCert = await trustAuthority(context, address, { trust, noPrompt });
  const { user, password } = await ask(host, account?.user);
  const details = { 'api-endpoints': [address], 'ca-cert': caCert };
  const loggedIn = await tryPassword(context, { details, user, password });
  const { uuid } = loggedIn;
  if (before && before.uuid !== uuid)
    throw new JujuError(
      '',
      `controller at "${host}" does not match existing controller.\nPlease choose a different controller name with the -c option, or\nuse "grigri unregister ${name}" to remove the existing controller.`,
    );
  if (before)
    await store.updateController(name, { ...before, 'api-endpoints': [address, ...before['api-endpoints']] });
  else await store.addController(name, { uuid, ...details, cloud: '' }, { user });
  await keepLogin(context, { controller: name, user }, loggedIn);
  return { controller: name, user };
}

/** Returns the address with its port, which defaults to 443. Errors: '' for an invalid host. */
export function withPort(host: string): string {
  const address = /:\d+$/.test(host) ? host : `${host}:443`;
  const [, port] = /^(?:\[[0-9A-Fa-f:.]+\]|[^:[\]/@\s]+):(\d{1,5})$/.exec(address) ?? [];
  if (!(Number(port) >= 1 && Number(port) <= 65_535))
    throw new JujuError('', `"${host}" is no <host>[:<port>] or [<IPv6 address>][:<port>]`);
  return address;
}

async function refuseKnownAddress(
  context: CommandContext,
  known: Readonly<Record<string, ControllerDetails>>,
  address: string,
): Promise<void> {
  const found = Object.entries(known).find(([, details]) => details['api-endpoints'].includes(address));
  if (!found) return;
  const [name] = found;
  const { user } = (await (await context.store()).account(name)) ?? {};
  const [as, option] = user ? [` as user "${user}"`, ` -u ${user}`] : ['', ''];
  throw new JujuError(
    '',
    `This controller has already been registered on this client as "${name}".\nTo login${as} run 'grigri login${option} -c ${name}'.`,
  );
}
