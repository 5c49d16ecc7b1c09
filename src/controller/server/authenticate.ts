import { hostId } from '../../core/host/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import type { Reader, Store } from '../../store/store.ts';
import { parseTag } from '../../wire/tags.ts';
import { verifySecret } from '../passwords.ts';
import { renewPasswordHash } from '../transactions/set/renew-password-hash.ts';
import { activeUser, modelAccess, type Identity } from './access.ts';
import type { ServerContext } from './context.ts';

export interface Credentials {
  readonly tag: string;
  readonly password: string;
  /** Nonce of a machine: ties it to the instance that was started for it. */
  readonly nonce: string;
  /** Address of the client, for throttling. */
  readonly remote: string;
}

/**
 * Authenticates a caller, who must have the right password and access to the model ('' = the controller).
 * Errors: `unauthorized access`: "invalid entity name or password", the same whatever is wrong; "permission denied" for
 * a user without access to the model; `not provisioned` for a machine with another nonce; `dead` for a removed machine;
 * `try again`.
 */
export async function authenticate(
  context: ServerContext,
  modelUuid: string,
  credentials: Credentials,
): Promise<Identity> {
  try {
    return await identify(context, modelUuid, credentials);
  } catch (error) {
    if (
      error instanceof JujuError &&
      (error.code === 'unauthorized access' || error.code === 'not provisioned')
    )
      context.failedLogins.note({
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
  if (identity?.kind === 'user') return authenticateUser(context, modelUuid, identity.name, credentials);
  throw invalidCredentials();
}

/**
 * Refuses agents while the store is damaged: an agent would take lost documents for removed ones, and remove what
 * belongs to them. Errors: `try again`.
 */
export function refuseAgentsOfDamaged(store: Store<Entities>): void {
  if (store.isDamaged) throw new JujuError('try again', 'the controller is read-only: its store is damaged');
}

async function authenticateUser(
  { store, services, throttle, passwords, track }: ServerContext,
  modelUuid: string,
  name: string,
  { password, remote }: Credentials,
): Promise<Identity> {
  const hash = activeUser(store.read(), name)?.passwordHash ?? '';
  const attempt = { user: name, address: remote, known: hash !== '' };
  if (
    !passwords.remembers(password, hash) &&
    !(await throttle.run(attempt, () => passwords.verify(password, hash)))
  )
    throw invalidCredentials();
  // The state is read anew: the check took a while.
  const reader = store.read();
  const user = activeUser(reader, name);
  if (!user) throw invalidCredentials();
  if (modelUuid !== '' && modelAccess(reader, user, modelUuid) === '') throw permissionDenied();
  track(
    renewHash({ store, passwords }, { name, password, hash }).catch((error: unknown) => {
      services.log.warning('cannot renew the hash of a password', { user: name, error });
    }),
  );
  return { kind: 'user', name };
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
  { store }: ServerContext,
  modelUuid: string,
  machine: string,
  { password, nonce }: Credentials,
): Identity {
  refuseAgentsOfDamaged(store);
  const doc = modelUuid === '' ? undefined : store.read().in(modelUuid).get('machine', machine);
  if (!doc) refuseRemoved(store.read(), { model: modelUuid, machine, password, nonce });
  if (!doc || !verifySecret(password, doc.passwordHash ?? '')) throw invalidCredentials();
  if (doc.nonce === undefined || nonce !== doc.nonce)
    throw new JujuError('not provisioned', `machine ${machine} not provisioned`);
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
    return kind === 'user' ? { kind, name: id.replace(/@local$/, '') } : undefined;
  } catch (error) {
    if (error instanceof JujuError) return undefined;
    throw error;
  }
}

function invalidCredentials(): JujuError {
  return new JujuError('unauthorized access', 'invalid entity name or password');
}
