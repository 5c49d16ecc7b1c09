/**
 * Discharges of logins by macaroons, as macaroon-bakery's clients ask for them (login.md#discharges). Errors have its
 * form, `{"Code","Message","Info"}`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasCode, JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { userId } from '../../core/user/document.ts';
import { decodeLoginForm } from '../../wire/discharge.ts';
import { tokenKind } from '../macaroons/local-login.ts';
import { checkPassword } from './authenticate.ts';
import type { ServerContext } from './context.ts';
import { requestSlices } from './http-auth.ts';
import { allow, readBody, readJson, sendJson } from './respond.ts';

/**
 * Serves `/auth/discharge`: POST answers with the discharge of a caveat, or with where a password is to be shown first.
 * Errors: those of LocalLogin.discharge; `bad request`; `quota limit exceeded`.
 */
export async function serveDischarge(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allow(request, ['POST']);
  const { form, id, caveat } = await readCaveat(request);
  const token = bytesOf(form, 'token')?.toString();
  const kind = form.get('token-kind') ?? '';
  if (token !== undefined && kind !== tokenKind)
    throw new JujuError('bad request', `token kind "${kind.slice(0, 100)}" is not known`);
  const macaroon = await noting(context, request, {
    tag: 'discharge',
    work: () =>
      context.localLogin.discharge({
        id,
        caveat,
        token,
        slices: requestSlices(request),
      }),
  });
  if (macaroon !== undefined) return sendJson(response, 200, { Macaroon: macaroon });
  const methods = { [tokenKind]: { url: '/auth/form' } };
  sendJson(
    response,
    401,
    {
      Code: 'interaction required',
      Message: 'macaroon discharge required: authentication required',
      Info: { InteractionMethods: methods },
    },
    { 'WWW-Authenticate': 'Macaroon' },
  );
}

/**
 * Serves `/auth/form`: POST takes user and password, and answers with a token for one discharge. Errors: as
 * checkPassword.
 */
export async function serveLoginForm(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allow(request, ['POST']);
  const { form } = decodeLoginForm(await readJson(request, limits.dischargeRequest));
  const remote = request.socket.remoteAddress ?? '';
  const user = await noting(context, request, {
    tag: form.user,
    work: () => checkPassword(context, { name: userId(form.user), password: form.password, remote }),
  });
  context.security.tokenCreated(user.name, remote);
  const value = Buffer.from(context.localLogin.issueToken(user)).toString('base64');
  sendJson(response, 200, { token: { kind: tokenKind, value } });
}

/**
 * Serves `/offeraccess/discharge`: POST answers with the discharge that says that a user still may consume an offer.
 * Errors: those of OfferMacaroons.discharge; `bad request`; `quota limit exceeded`.
 */
export async function serveOfferDischarge(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allow(request, ['POST']);
  const { id, caveat } = await readCaveat(request);
  sendJson(response, 200, { Macaroon: context.offerMacaroons.discharge({ id, caveat }) });
}

/** Serves `publickey`, and the other paths that tell the key for caveats to this controller. */
export function serveDischargeKey(
  { publicKey }: { readonly publicKey: Buffer },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  allow(request, ['GET', 'HEAD']);
  sendJson(response, 200, { PublicKey: publicKey.toString('base64'), Version: 3 });
}

/** Runs `work`, whose refusals are logged as failed logins. */
async function noting<T>(
  { security }: ServerContext,
  request: IncomingMessage,
  { tag, work }: { readonly tag: string; readonly work: () => T | Promise<T> },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, 'unauthorized access'))
      security.loginFailed({ tag, address: request.socket.remoteAddress ?? '', reason: error.message });
    throw error;
  }
}

/** The caveat that a request wants discharged. Errors: `bad request` when it names none. */
async function readCaveat(
  request: IncomingMessage,
): Promise<{ readonly form: URLSearchParams; readonly id: Buffer; readonly caveat: Buffer }> {
  const form = new URLSearchParams(await readBody(request, limits.dischargeRequest));
  const id = bytesOf(form, 'id');
  if (id === undefined) throw new JujuError('bad request', 'the caveat has no id');
  return { form, id, caveat: bytesOf(form, 'caveat') ?? id };
}

/** Bytes of a form's field, which are sent as they are, or as base64 under the longer name. */
function bytesOf(form: URLSearchParams, name: string): Buffer | undefined {
  const encoded = form.get(`${name}64`);
  if (encoded !== null) return Buffer.from(encoded, 'base64');
  const plain = form.get(name);
  return plain === null ? undefined : Buffer.from(plain);
}
