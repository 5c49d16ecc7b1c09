/** Discharges of macaroons that a login asks for (login.md#discharges). */
import { JujuError } from '../core/errors.ts';
import { cut, limits } from '../core/limits.ts';
import { parseJson } from '../core/parse-json.ts';
import { macaroonToJson } from '../kit/macaroon/encode.ts';
import { bind, type Macaroon } from '../kit/macaroon/macaroon.ts';
import { bakeryFromJson } from '../kit/macaroon/slices.ts';
import { serverName } from './connect.ts';

export interface DischargeOptions {
  /** Macaroon as the error `macaroon discharge required` has it. */
  readonly macaroon: unknown;
  readonly caCert: string;
  readonly user: string;
  /** Called at most once, when the password is asked for. */
  readonly password: () => Promise<string>;
  readonly signal: AbortSignal;
}

const passwordKind = 'juju_userpass';
/** Maximum number of discharges of one login: its controller asks for one. */
const dischargesMax = 10;

/**
 * Returns the macaroon with its bound discharges, in JSON, for ConnectOptions.login. The discharger has a certificate
 * of the controller's CA. Errors: `unauthorized access` for a wrong password; JujuError of the answer.
 */
export async function discharge(options: DischargeOptions): Promise<readonly unknown[]> {
  const first = bakeryFromJson(options.macaroon);
  const slice: Macaroon[] = [first.macaroon];
  const queue = [first];
  for (let entry = queue.shift(); entry; entry = queue.shift())
    for (const { id, verificationId, location } of entry.macaroon.caveats) {
      if (verificationId === undefined) continue;
      if (slice.length > dischargesMax) throw new JujuError('', 'the login needs too many discharges');
      const got = await acquire(options, location ?? '', {
        id64: id.toString('base64url'),
        ...content(entry.contents.get(id.toString('base64'))),
      });
      slice.push(bind(first.macaroon, got.macaroon));
      queue.push(got);
    }
  return slice.map(macaroonToJson);
}

function content(bytes: Buffer | undefined): Record<string, string> {
  return bytes ? { caveat64: bytes.toString('base64url') } : {};
}

async function acquire(
  options: DischargeOptions,
  location: string,
  caveat: Readonly<Record<string, string>>,
): Promise<ReturnType<typeof bakeryFromJson>> {
  const base = new URL(location.endsWith('/') ? location : `${location}/`);
  if (base.protocol !== 'https:') throw new JujuError('', `no discharge is asked for at ${location}`);
  const ask = (fields: Readonly<Record<string, string>>): Promise<Answer> =>
    post(options, new URL('discharge', base), new URLSearchParams(fields).toString());
  let answer = await ask(caveat);
  if (answer.body['Code'] === 'interaction required') {
    const token = await tokenFor(options, base, answer);
    answer = await ask({ ...caveat, 'token-kind': passwordKind, token64: token });
  }
  if (answer.status !== 200) throw failure(answer);
  return bakeryFromJson(answer.body['Macaroon']);
}

async function tokenFor(options: DischargeOptions, base: URL, { body }: Answer): Promise<string> {
  const { InteractionMethods: methods } = (body['Info'] ?? {}) as { InteractionMethods?: Methods };
  const url = methods?.[passwordKind]?.url;
  if (typeof url !== 'string')
    throw new JujuError(
      'not supported',
      'the controller asks for another proof than a password, which is not supported',
    );
  const target = new URL(url, base);
  if (target.origin !== base.origin)
    throw new JujuError('', `no password is sent to ${target.origin}, for a login at ${base.origin}`);
  const form = { user: options.user, password: await options.password() };
  const answer = await post(options, target, JSON.stringify({ form }));
  if (answer.status !== 200) throw failure(answer);
  const { value } = (answer.body['token'] ?? {}) as { value?: unknown };
  if (typeof value !== 'string') throw new JujuError('', `${base.host} answered without a token`);
  return value;
}

type Methods = Readonly<Record<string, { readonly url?: unknown } | undefined>>;

interface Answer {
  readonly host: string;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function post({ caCert, signal }: DischargeOptions, url: URL, body: string): Promise<Answer> {
  // The bundled undici has its names only in the default export.
  const undici = (await import('undici')).default;
  const client = new undici.Client(url.origin, {
    connect: { ca: caCert, servername: serverName, timeout: 20_000 },
    maxResponseSize: limits.dischargeRequest.max,
    allowH2: false,
    pipelining: 0,
  });
  try {
    const isJson = body.startsWith('{');
    const response = await client.request({
      method: 'POST',
      path: url.pathname,
      headers: {
        'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        'Bakery-Protocol-Version': '3',
      },
      body,
      signal,
    });
    const text = await response.body.text();
    return { host: url.host, status: response.statusCode, body: parse(text) };
  } finally {
    await client.destroy();
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return (parseJson(text) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function failure({ host, status, body: { Message: message } }: Answer): JujuError {
  return new JujuError(
    status === 401 ? 'unauthorized access' : '',
    typeof message === 'string' ? cut({ max: 1000 }, message) : `${host} answered ${status}`,
  );
}
