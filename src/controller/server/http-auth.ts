import type { IncomingMessage } from 'node:http';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { sliceFromText, type Slice } from '../../kit/macaroon/slices.ts';
import type { Caller, Needs } from '../facade.ts';
import { authorize, tagOf, type Identity } from './access.ts';
import { authenticate } from './authenticate.ts';
import type { ServerContext } from './context.ts';
import { guardedStore } from './guarded-store.ts';
import { movedOf, redirection } from './moved.ts';
import { refuseBlocked } from './refuse-blocked.ts';

/**
 * Authenticates a request by Basic authorization `<tag>:<password>`; a machine also sends its nonce in `X-Juju-Nonce`.
 * A user may have macaroons instead of a password, in cookies or headers, and no authorization at all.
 * `modelUuid` '' = the controller.
 * Errors: `unauthorized access`, `model not found`, `redirection required`, `no credentials provided`, `macaroon
 * discharge required`.
 */
export async function authenticateRequest(
  context: ServerContext,
  request: IncomingMessage,
  modelUuid: string,
): Promise<Identity> {
  const match = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '');
  const text = match ? Buffer.from(match[1]!, 'base64').toString() : '';
  const colon = text.indexOf(':');
  const macaroons = match && colon >= 0 && colon < text.length - 1 ? [] : requestSlices(request);
  if (colon < 0 && macaroons.length === 0)
    throw new JujuError('no credentials provided', 'authentication failed: no credentials provided');
  const moved = movedOf(context.store.read(), modelUuid);
  if (moved) throw redirection(moved);
  if (modelUuid !== '' && !context.store.read().in('').get('model', modelUuid))
    throw new JujuError('model not found', `unknown model: "${modelUuid}"`);
  const nonce = request.headers['x-juju-nonce'];
  const identity = await authenticate(context, modelUuid, {
    tag: text.slice(0, Math.max(colon, 0)),
    password: text.slice(colon + 1),
    nonce: typeof nonce === 'string' ? nonce : '',
    remote: request.socket.remoteAddress ?? '',
    macaroons,
    bakeryVersion: Number(request.headers['bakery-protocol-version'] ?? 0),
    host: dialledHost(context, request),
  });
  context.newcomers.loggedIn(request.socket);
  return identity;
}

/**
 * The macaroons that a request has in cookies (`macaroon-…`) and `Macaroons` headers. Anything else is passed over, as
 * is any cookie that somebody else has set.
 */
export function requestSlices(request: IncomingMessage): Slice[] {
  const texts = [
    ...(request.headersDistinct['macaroons'] ?? []).flatMap((header) => header.split(',')),
    ...(request.headers.cookie ?? '')
      .split(';')
      .map((cookie) => cookie.trim())
      .filter((cookie) => cookie.startsWith('macaroon-') && cookie.includes('='))
      .map((cookie) => cookie.slice(cookie.indexOf('=') + 1)),
  ];
  checkLimit(limits.macaroons, texts.length);
  return texts.flatMap((text) => {
    try {
      return [sliceFromText(text)];
    } catch (error) {
      if (error instanceof JujuError) return [];
      throw error;
    }
  });
}

/**
 * The `host:port` that the client has dialled, by its `Host` header; the controller's first address where it has none.
 */
export function dialledHost({ services }: ServerContext, { headers }: IncomingMessage): string {
  const { host = '' } = headers;
  return /^[\w.:[\]-]{1,255}$/.test(host) ? host : (services.addresses[0] ?? '');
}

/**
 * Authenticates and authorizes a request; one for writing is refused by blocks of the model. Errors: as
 * authenticateRequest, then as authorize, then `operation is blocked`.
 */
export async function authorizeRequest(
  context: ServerContext,
  request: IncomingMessage,
  { modelUuid, needs }: { modelUuid: string; needs: Needs },
): Promise<Caller> {
  const identity = await authenticateRequest(context, request, modelUuid);
  const caller = authorizeSender(context, request, { identity, model: modelUuid, needs });
  refuseBlocked(context.store.read(), {
    model: modelUuid,
    operation: needs === 'model-write' ? 'change' : 'never',
  });
  return caller;
}

/** As authorize, for the sender of the request; a refusal is a security event. */
export function authorizeSender(
  { store, security }: ServerContext,
  { method = '', url = '', socket }: IncomingMessage,
  access: Parameters<typeof authorize>[1],
): Caller {
  try {
    return authorize(store.read(), access);
  } catch (error) {
    const what = `${method} ${url.split('?')[0]}`;
    security.accessRefused({ tag: tagOf(access.identity), what, address: socket.remoteAddress ?? '' });
    throw error;
  }
}

/**
 * Authorizes an upload by a user who may write the model. `context` is the one to store it with: an upload takes a
 * while, and counts only if the user may still write, and no block stops it, when it ends. Errors: as authorizeRequest.
 */
export async function authorizeUpload(
  context: ServerContext,
  request: IncomingMessage,
  modelUuid: string,
): Promise<{ readonly user: string; readonly context: ServerContext }> {
  const access = { model: modelUuid, needs: 'model-write' } as const;
  const caller = await authorizeRequest(context, request, { modelUuid, needs: access.needs });
  if (caller.kind !== 'user') throw permissionDenied();
  const store = guardedStore(context.store, (reader) => {
    authorize(reader, { identity: caller, ...access });
    refuseBlocked(reader, { model: modelUuid, operation: 'change' });
  });
  return { user: caller.name, context: { ...context, store } };
}
