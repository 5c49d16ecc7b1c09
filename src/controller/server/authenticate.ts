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
  /** Of a machine: ties it to the instance that was started for it. */
  readonly nonce: string;
  /** Where the connection comes from, for throttling. */
  readonly remote: string;
}

/**
 * Who this is, when the password is right and it has any business with the model ('' = the controller).
 * Errors: `unauthorized access`: "invalid entity name or password", the same whatever is wrong; "permission denied"
 * for a user without access to the model; `not provisioned` for a machine with another nonce; `dead` for one that was
 * removed; `try again`.
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
  throw wrong();
}

/** An agent would take what a damaged store has lost for what was removed, and remove it. Errors: `try again`. */
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
    throw wrong();
  // Anew: the check took a while.
  const reader = store.read();
  const user = activeUser(reader, name);
  if (!user) throw wrong();
  if (modelUuid !== '' && modelAccess(reader, user, modelUuid) === '') throw permissionDenied();
  track(
    renewHash({ store, passwords }, { name, password, hash }).catch((error: unknown) => {
      services.log.warning('the hash of a password could not be renewed', { user: name, error });
    }),
  );
  return { kind: 'user', name };
}

/** At a login, as nobody else knows the password: its hash is made anew when today's advice asks for more. */
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
  if (!doc || !verifySecret(password, doc.passwordHash ?? '')) throw wrong();
  if (doc.nonce === undefined || nonce !== doc.nonce)
    throw new JujuError('not provisioned', `machine ${machine} not provisioned`);
  return { kind: 'machine', machine, nonce };
}

/**
 * The agent of an enlisted host whose machine was removed while it was away is told so, for it is the one that cleans the
 * host up. Only on the record that the removal left, and to who proves that he was that machine: a controller that has
 * merely forgotten a machine (a restored copy) and whoever tries names get the answer that everybody gets.
 * Errors: `dead`; `unauthorized access` from who does not prove it, where there was such a machine.
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
  const gone = reader.in('').get('host', hostId(claim))?.gone;
  if (!gone) return;
  if (gone.nonce !== claim.nonce || !verifySecret(claim.password, gone.passwordHash)) throw wrong();
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

function wrong(): JujuError {
  return new JujuError('unauthorized access', 'invalid entity name or password');
}
