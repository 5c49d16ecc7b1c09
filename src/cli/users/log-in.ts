import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Connection } from '../../client/connection.ts';
import type { ControllerDetails } from '../../operate/records.ts';
import { userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';

export interface PasswordLogin {
  readonly controller: string;
  readonly details: Pick<ControllerDetails, 'api-endpoints' | 'ca-cert'>;
  readonly user: string;
  readonly password: string;
}

/**
 * Logs a user in by the password to a controller that the client knows, and keeps the macaroon that it gets for it, not
 * the password. Errors: `unauthorized access`.
 */
export async function logInByPassword(context: CommandContext, login: PasswordLogin): Promise<void> {
  const { controller, user } = login;
  const { connection, slice } = await open(context, login);
  const access = connection.login.user?.controllerAccess;
  await connection.close();
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
