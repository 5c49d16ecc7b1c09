import { hostId } from '../../core/host/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import { isUserName, userId, type UserDoc } from '../../core/user/document.ts';
import type { Slice } from '../../kit/macaroon/slices.ts';
import type { Reader, Store } from '../../store/store.ts';
import { parseTag, parseUserTag } from '../../wire/tags.ts';
import { verifySecret } from '../passwords.ts';
import { renewPasswordHash } from '../transactions/set/renew-password-hash.ts';
import { activeUser, mayConnect, type Identity } from './access.ts';
import type { ServerContext } from './context.ts';

interface Credentials {
  readonly tag: string;
  readonly password: string;
  /** Nonce of a machine: ties it to the instance that was started for it. */
  readonly nonce: string;
  /** Address of the client, for throttling. */
  readonly remote: string;
  /** Macaroons, which count where there is no password. */
  readonly macaroons: readonly Slice[];
  /** Version of macaroon-bakery that the client speaks; 0 = an old one. */
  readonly bakeryVersion: number;
  /** `host:port` that the client has dialled. */
  readonly host: string;
}

/**
 * Authenticates a caller, who must have the right password, or for a user macaroons, and access to the model ('' = the
 * controller).
 * Errors: `unauthorized access`: "invalid entity name or password", the same whatever is wrong; "permission denied" for
 * a user without access to the model; `macaroon discharge required` for a user without a password, with a macaroon;
 * `no credentials provided` for nobody with nothing; `not provisioned` for a machine with another nonce; `dead` for a
 * removed machine; `try again`.
 */
export async function authenticate(
  context: ServerContext,
  modelUuid: string,
  credentials: Credentials,
): Promise<Identity> {
  try {
    const identity = await identify(context, modelUuid, credentials);
    if (identity.kind === 'user') context.security.loginSucceeded(identity.name, credentials.remote);
    return identity;
  } catch (error) {
    if (
      error instanceof JujuError &&
      (error.code === 'unauthorized access' || error.code === 'not provisioned')
    )
      context.security.loginFailed({
        tag: credentials.tag,
        address: credentials.remote,
        reason: error.message,
      });
    throw error;
  }
}

async function identify(
  context: ServerContext,
  modelUuid: string,
  credentials: Credentials,
): Promise<Identity> {
  const identity = parseIdentity(credentials.tag);
  if (identity?.kind === 'machine')
    return authenticateMachine(context, modelUuid, identity.machine, credentials);
  if (identity?.kind === 'user')
    return credentials.password === ''
      ? authenticateByMacaroons(context, modelUuid, identity.name, credentials)
      : authenticateByPassword(context, modelUuid, identity.name, credentials);
  if (credentials.tag === '' && credentials.password === '')
    return authenticateByMacaroons(context, modelUuid, '', credentials);
  throw invalidCredentials();
}

/**
 * Refuses agents while the store is damaged: an agent would take lost documents for removed ones, and remove what
 * belongs to them. Errors: `try again`.
 */
export function refuseAgentsOfDamaged(store: Store<Entities>): void {
  if (store.isDamaged) throw new JujuError('try again', 'the controller is read-only: its store is damaged');
}

/** Authenticates a user by macaroons; `name` '' = any user that they name. */
async function authenticateByMacaroons(
  { store, localLogin }: ServerContext,
  modelUuid: string,
  name: string,
  { macaroons, host, bakeryVersion }: Credentials,
): Promise<Identity> {
  const user = localLogin.check(macaroons, name);
  if (!('refusal' in user)) return connected(store, user, modelUuid);
  if (name === '')
    throw new JujuError('no credentials provided', 'authentication failed: no credentials provided');
  // Users of other domains have no password here that they could show.
  if (!isUserName(name)) throw invalidCredentials();
  throw await localLogin.required({ user: name, host, bakeryVersion, reason: user.refusal });
}

async function authenticateByPassword(
  context: ServerContext,
  modelUuid: string,
  name: string,
  { password, remote }: Pick<Credentials, 'password' | 'remote'>,
): Promise<Identity> {
  const user = await checkPassword(context, { name, password, remote });
  return connected(context.store, user, modelUuid);
}

/** Identity of a user who may be connected to the model. Errors: `unauthorized access`. */
function connected(store: Store<Entities>, { name, createdAt: since }: UserDoc, model: string): Identity {
  if (!mayConnect(store.read(), { name, since, model })) throw permissionDenied();
  return { kind: 'user', name, since };
}

/**
 * Returns the user with this password. Wrong passwords slow their sender. Errors: `unauthorized access`, `try again`.
 */
export async function checkPassword(
  { store, services, throttle, passwords, track }: ServerContext,
  { name, password, remote }: { readonly name: string } & Pick<Credentials, 'password' | 'remote'>,
): Promise<UserDoc> {
  const stored = (): string => activeUser(store.read(), name)?.passwordHash ?? '';
  let hash = stored();
  const verify = async (): Promise<boolean> => {
    // The check takes a while: a password that is changed in the meantime, or a name given to another user, counts.
    do {
      hash = stored();
      if (!(await passwords.verify(password, hash))) return false;
    } while (hash !== stored());
    return true;
  };
  // A name is the same whatever its case.
  const attempt = { user: userId(name), address: remote, known: hash !== '' };
  if (!passwords.remembers(password, hash) && !(await throttle.run(attempt, verify)))
    throw invalidCredentials();
  const user = activeUser(store.read(), name);
  if (!user) throw invalidCredentials();
  track(
    renewHash({ store, passwords }, { name: user.name, password, hash }).catch((error: unknown) => {
      services.log.warning('cannot renew the hash of a password', { user: user.name, error });
    }),
  );
  return user;
}

/**
 * Renews a password's hash when its cost is lower than advised; possible at a login only, when the password is known.
 */
async function renewHash(
  { store, passwords }: Pick<ServerContext, 'store' | 'passwords'>,
  { name, password, hash }: { name: string; password: string; hash: string },
): Promise<void> {
  const passwordHash = await passwords.renewed(password, hash);
  if (passwordHash === undefined) return;
  await store.change(
    (tx) => renewPasswordHash(tx, { user: name, hash, renewed: passwordHash }),
    'password-check',
  );
}

function authenticateMachine(
  { store, agentLogins }: ServerContext,
  modelUuid: string,
  machine: string,
  { password, nonce }: Pick<Credentials, 'password' | 'nonce'>,
): Identity {
  refuseAgentsOfDamaged(store);
  const doc = modelUuid === '' ? undefined : store.read().in(modelUuid).get('machine', machine);
  if (!doc) refuseRemoved(store.read(), { model: modelUuid, machine, password, nonce });
  if (!doc || !verifySecret(password, doc.passwordHash ?? '')) throw invalidCredentials();
  if (doc.nonce === undefined || nonce !== doc.nonce)
    throw new JujuError('not provisioned', `machine ${machine} not provisioned`);
  agentLogins.take();
  return { kind: 'machine', machine, nonce };
}

/**
 * Tells the agent of an enlisted host that its machine was removed while it was away, since it is the agent that cleans
 * the host up. The answer needs the record that the removal left, and proof that the agent was that machine's: a
 * controller that has merely lost a machine (a restored copy) gives everybody the usual answer, and so do guessed
 * names.
 * Errors: `dead`; `unauthorized access` without proof, where there was such a machine.
 */
export function refuseRemoved(
  reader: Reader<Entities>,
  claim: {
    readonly model: string;
    readonly machine: string;
    readonly password: string;
    readonly nonce: string;
  },
): void {
  const removal = reader.in('').get('host', hostId(claim))?.gone;
  if (!removal) return;
  if (removal.nonce !== claim.nonce || !verifySecret(claim.password, removal.passwordHash))
    throw invalidCredentials();
  throw new JujuError('dead', `machine ${claim.machine} was removed`);
}

function parseIdentity(tag: string): Identity | undefined {
  try {
    const { kind, id } = parseTag(tag);
    if (kind === 'machine') return { kind, machine: id };
    return kind === 'user' ? { kind, name: parseUserTag(tag) } : undefined;
  } catch (error) {
    if (error instanceof JujuError) return undefined;
    throw error;
  }
}

function invalidCredentials(): JujuError {
  return new JujuError('unauthorized access', 'invalid entity name or password');
}
