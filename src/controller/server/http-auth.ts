import type { IncomingMessage } from 'node:http';
import { JujuError } from '../../core/errors.ts';
import type { Caller, Needs } from '../facade.ts';
import { authorize, type Identity } from './access.ts';
import { authenticate } from './authenticate.ts';
import type { ServerContext } from './context.ts';

/**
 * Authenticates a request by Basic authorization `<tag>:<password>`; a machine also sends its nonce in `X-Juju-Nonce`.
 * `modelUuid` '' = the controller.
 * Errors: `unauthorized access`, `model not found`, `no credentials provided`.
 */
export async function authenticateRequest(
  context: ServerContext,
  request: IncomingMessage,
  modelUuid: string,
): Promise<Identity> {
  const match = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '');
  const text = match ? Buffer.from(match[1]!, 'base64').toString() : '';
  const colon = text.indexOf(':');
  if (colon < 0)
    throw new JujuError('no credentials provided', 'authentication failed: no credentials provided');
  if (modelUuid !== '' && !context.store.read().in('').get('model', modelUuid))
    throw new JujuError('model not found', `unknown model: "${modelUuid}"`);
  const nonce = request.headers['x-juju-nonce'];
  const identity = await authenticate(context, modelUuid, {
    tag: text.slice(0, colon),
    password: text.slice(colon + 1),
    nonce: typeof nonce === 'string' ? nonce : '',
    remote: request.socket.remoteAddress ?? '',
  });
  context.newcomers.loggedIn(request.socket);
  return identity;
}

/** Authenticates and authorizes a request. Errors: as authenticateRequest, then as authorize. */
export async function authorizeRequest(
  context: ServerContext,
  request: IncomingMessage,
  { modelUuid, needs }: { modelUuid: string; needs: Needs },
): Promise<Caller> {
  const identity = await authenticateRequest(context, request, modelUuid);
  return authorize(context.store.read(), { identity, model: modelUuid, needs });
}
