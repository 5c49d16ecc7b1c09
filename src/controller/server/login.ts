/** Admin v3: logins and the facades announced at them (login.md#login, wire.md#login-result). */
import { accessId } from '../../core/access/document.ts';
import { z } from 'zod';
import { textSetting } from '../../core/controller/config.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { isoTime } from '../../kit/clock.ts';
import { slicesFromJson } from '../../kit/macaroon/slices.ts';
import { decoderFor } from '../../wire/decode.ts';
import { controllerTag, modelTag, userTag } from '../../wire/tags.ts';
import type { Needs } from '../facade.ts';
import { recordLogin } from '../transactions/set/record-login.ts';
import { activeUser, anonymousName, modelAccess, type Identity } from './access.ts';
import { authenticate, refuseAgentsOfDamaged, refuseRemoved } from './authenticate.ts';
import type { ServerContext } from './context.ts';
import { flatHostPort } from './flat-host-port.ts';
import { isArriving, movedOf, redirection, refuseStrangers } from './moved.ts';
import type { Facade } from './registry.ts';
import { defined } from '../../core/defined.ts';

export const adminVersion = 3;

const decodeLogin = decoderFor(
  z.object({
    'auth-tag': z.string(),
    credentials: z.string(),
    nonce: z.string(),
    /** Command line of the client. */
    'cli-args': z.string(),
    /** Lists of a macaroon and its discharges. */
    macaroons: z.unknown(),
    'bakery-version': z.number(),
    /** Extension of grigri: the client knows the facades that Juju does not have. */
    'own-facades': z.boolean(),
  }),
);

/**
 * Logs a caller in and returns its identity and the answer; without identity, the macaroon that it has to discharge
 * first. Errors: as authenticate, but for `macaroon discharge required`; `redirection required` for a model that has
 * left; a request of the wrong shape; `not valid` macaroons.
 */
export async function logIn(
  context: ServerContext,
  { modelUuid, remote, host, params }: { modelUuid: string; remote: string; host: string; params: unknown },
): Promise<{ identity?: Identity; result: Record<string, unknown>; commandLine: string }> {
  const { 'auth-tag': tag, credentials: password, nonce, ...rest } = decodeLogin(params);
  const { 'own-facades': ownFacades, 'cli-args': commandLine, 'bakery-version': bakeryVersion } = rest;
  const isAgent = tag.startsWith('machine-');
  // Agents try their login before a model that has left comes back.
  const isTrial = isAgent && isArriving(context.store.read(), modelUuid);
  const moved = isTrial ? undefined : movedOf(context.store.read(), modelUuid);
  const isAnonymous = tag === userTag(anonymousName) && password === '';
  // The end of a machine that was removed before the model left is told here: the host's record has stayed.
  if (moved && isAgent) refuseLoginOfRemoved(context, modelUuid, params);
  // Agents and other controllers prove who they are where the model is.
  if (moved && (isAnonymous || isAgent)) throw redirection(moved);
  if (isAnonymous) {
    const anonymous = { kind: 'anonymous' } as const;
    const result = loginResult(context, modelUuid, { identity: anonymous, ownFacades });
    return { identity: anonymous, result, commandLine };
  }
  const macaroons = password === '' ? slicesFromJson(rest.macaroons) : [];
  let identity: Identity;
  try {
    identity = await authenticate(context, moved ? '' : modelUuid, {
      tag,
      password,
      nonce,
      remote,
      macaroons,
      bakeryVersion,
      host,
    });
  } catch (error) {
    if (!hasCode(error, 'macaroon discharge required')) throw error;
    return { result: dischargeRequired(error), commandLine };
  }
  if (moved) {
    refuseStrangers(context, moved, identity);
    throw redirection(moved);
  }
  const result = loginResult(context, modelUuid, { identity, ownFacades });
  if (identity.kind === 'user') noteLogin(context, modelUuid, identity.name);
  return { identity, result, commandLine };
}

/** The answer to a user who has neither password nor macaroons: the login is no failure, only unfinished. */
function dischargeRequired({ message, info }: JujuError): Record<string, unknown> {
  return {
    'discharge-required': info?.['macaroon'],
    'bakery-discharge-required': info?.['bakery-macaroon'],
    'discharge-required-error': message,
  };
}

/**
 * Refuses the login to a removed model: the agents of its machines may learn the end of their machine. Errors: `dead`;
 * `try again`.
 */
export function refuseLoginOfRemoved({ store }: ServerContext, model: string, params: unknown): void {
  const { 'auth-tag': tag, credentials: password, nonce } = decodeLogin(params);
  const machine = /^machine-([0-9]+)$/.exec(tag)?.[1];
  if (machine === undefined) return;
  refuseAgentsOfDamaged(store);
  refuseRemoved(store.read(), { model, machine, password, nonce });
}

function loginResult(
  context: ServerContext,
  modelUuid: string,
  { identity, ownFacades }: { identity: Identity; ownFacades: boolean },
): Record<string, unknown> {
  const { store, services } = context;
  const controller = store.read().in('').get('controller', 'self');
  return {
    servers: [services.addresses.map(flatHostPort)],
    'public-dns-name': textSetting(controller?.config ?? {}, 'public-dns-address'),
    ...defined({ 'model-tag': modelUuid === '' ? undefined : modelTag(modelUuid) }),
    'controller-tag': controllerTag(controller?.uuid ?? ''),
    ...(identity.kind === 'user' ? { 'user-info': userInfo(context, modelUuid, identity.name) } : {}),
    facades: announcedFacades(context, modelUuid, { identity, ownFacades }),
    'server-version': services.version,
    ...defined({ problem: store.problem }),
  };
}

function userInfo({ store }: ServerContext, modelUuid: string, name: string): Record<string, unknown> {
  const reader = store.read();
  const user = activeUser(reader, name)!;
  const lastLogin = reader.in('').get('last-login', accessId({ user: name, model: modelUuid }));
  return {
    'display-name': user.displayName,
    identity: userTag(name),
    ...defined({ 'last-connection': lastLogin?.at }),
    'controller-access': user.access,
    'model-access': modelUuid === '' ? '' : modelAccess(reader, user, modelUuid),
  };
}

/** Facades served on such a connection to such a caller, sorted by name; `ownFacades`: grigri's own beside Juju's. */
function announcedFacades(
  { facades }: ServerContext,
  modelUuid: string,
  { identity, ownFacades }: { identity: Identity; ownFacades: boolean },
): { name: string; versions: readonly number[] }[] {
  return [...facades.values()]
    .filter((facade) => isServedOn(facade, modelUuid) && isFor(facade, identity))
    .filter(({ spec }) => !spec.own || ownFacades || identity.kind === 'machine')
    .map(({ spec }) => ({ name: spec.name, versions: spec.versions }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function isServedOn({ spec }: Facade, modelUuid: string): boolean {
  return spec.on === 'both' || spec.on === (modelUuid === '' ? 'controller' : 'model');
}

function isFor(facade: Facade, identity: Identity): boolean {
  return Object.values(facade.table).some(({ needs }) =>
    needs === 'anyone' ? true : kindOf(needs) === identity.kind,
  );
}

/** The kind of callers that have the access. */
function kindOf(needs: Exclude<Needs, 'anyone'>): Identity['kind'] {
  if (needs === 'anonymous') return needs;
  return needs === 'agent' ? 'machine' : 'user';
}

/** Records the login's time. The login does not wait for it: it is valid whether or not the time is recorded. */
function noteLogin({ store, services, track }: ServerContext, model: string, user: string): void {
  const at = isoTime(services.clock);
  track(
    store
      .change((tx) => recordLogin(tx, { user, model, at }), userTag(user))
      .catch((error: unknown) => services.log.warning('cannot record the time of a login', { user, error })),
  );
}

/** Answer of Admin.RedirectInfo for a model that is here. */
export function notRedirected(): JujuError {
  return new JujuError('', 'not redirected');
}
