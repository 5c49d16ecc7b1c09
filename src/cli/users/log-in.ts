import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Connection } from '../../client/connection.ts';
import type { ControllerDetails } from '../../operate/records.ts';
import { parseTagOf, userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';

interface PasswordLogin {
  readonly details: Pick<ControllerDetails, 'api-endpoints' | 'ca-cert'>;
  readonly user: string;
  readonly password: string;
}

/** Login as the client keeps it. */
interface LoggedIn {
  readonly uuid: string;
  readonly access: string | undefined;
  /** Macaroon with its discharge, which stands for the password. */
  readonly slice: readonly unknown[];
}

/**
 * Logs a user in by the password to a controller that the client knows, and keeps the macaroon that replaces the
 * password, not the password. Errors: `unauthorized access`.
 */
export async function logInByPassword(
  context: CommandContext,
  login: PasswordLogin & { readonly controller: string },
): Promise<void> {
  await keepLogin(context, login, await tryPassword(context, login));
}

/** Logs a user in by the password, and out again. Errors: `unauthorized access`. */
export async function tryPassword(context: CommandContext, login: PasswordLogin): Promise<LoggedIn> {
  const { connection, slice } = await open(context, login);
  const { controllerTag, user } = connection.login;
  await connection.close();
  return { uuid: parseTagOf('controller', controllerTag), access: user?.controllerAccess, slice };
}

/** Keeps a login to a controller that the client knows. */
export async function keepLogin(
  context: CommandContext,
  { controller, user }: { readonly controller: string; readonly user: string },
  { access, slice }: LoggedIn,
): Promise<void> {
  const store = await context.store();
  await store.setAccount(controller, { user, ...defined({ 'last-known-access': access || undefined }) });
  await store.setMacaroon(controller, slice);
}

async function open(
  context: CommandContext,
  { details, user, password }: PasswordLogin,
): Promise<{ connection: Connection; slice: readonly unknown[] }> {
  const { io } = context;
  const { 'api-endpoints': addresses, 'ca-cert': caCert } = details;
  const connect = (macaroons: readonly (readonly unknown[])[]): Promise<Connection> =>
    io.connect({
      addresses,
      caCert,
      login: { tag: userTag(user), password: '', macaroons },
      signal: io.signal,
    });
  let macaroon: unknown;
  try {
    await (await connect([])).close();
    throw new JujuError('', 'the controller asked for no password');
  } catch (error) {
    if (!hasCode(error, 'macaroon discharge required')) throw error;
    macaroon = error.info?.['macaroon'];
  }
  const slice = await io.discharge({
    macaroon,
    caCert,
    user,
    password: () => Promise.resolve(password),
    signal: io.signal,
  });
  return { connection: await connect([slice]), slice };
}
