import { createSecureContext, type ConnectionOptions, type SecureContext } from 'node:tls';
import { WebSocket, type ClientOptions } from 'ws';
import { JujuError } from '../core/errors.ts';
import { systemClock, type Clock } from '../kit/clock.ts';
import { hostPort } from '../kit/host-port.ts';
import type { ConnectOptions, Connection, LoginResult } from './connection.ts';
import { chooseVersion } from './facade-versions.ts';
import { openFrames, type Frames } from './frames.ts';

/** The certificate's name, whatever the address (facts: wire-facts §0.2). */
export const serverName = 'juju-apiserver';
/** The Juju that our calls are those of. */
const clientVersion = '3.6.28';

const handshakeTimeoutMs = 20_000;
/** FullStatus of 10,000 units is far below. */
const frameSizeMax = 512 * 1024 * 1024;
const pingIntervalMs = 30_000;
const pingTimeoutMs = 30_000;

/**
 * Connects to the first address that answers and logs in. Errors: JujuError `try again` when none answers; the
 * login's own (`unauthorized access`, `model not found`…), after which no other address is tried.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { modelUuid, signal } = options;
  const path = modelUuid === undefined ? '/api' : `/model/${modelUuid}/api`;
  const secureContext = options.secureContext ?? pinnedContext(options.caCert);
  const socket = await firstThatAnswers(options.addresses, signal, (address) =>
    openSocket(`wss://${address}${path}`, { secureContext, ...(signal && { signal }) }),
  );
  const frames = openFrames(socket);
  socket.resume();
  try {
    const login = await logIn(frames, options);
    return toConnection(frames, login, options.clock ?? systemClock);
  } catch (error) {
    frames.fail(error as Error);
    throw error;
  }
}

/** Trusts this CA only. One may serve many connections. */
export function pinnedContext(caCert: string): SecureContext {
  return createSecureContext({ ca: caCert, minVersion: 'TLSv1.2' });
}

/** `attempt` at each address in turn. Errors: JujuError `try again` naming them all. */
export async function firstThatAnswers<T>(
  addresses: readonly string[],
  signal: AbortSignal | undefined,
  attempt: (address: string) => Promise<T>,
): Promise<T> {
  const failures: string[] = [];
  let cause: unknown;
  for (const address of addresses) {
    signal?.throwIfAborted();
    try {
      return await attempt(address);
    } catch (error) {
      if (error instanceof JujuError && error.code !== 'try again') throw error;
      failures.push(`${address}: ${reasonOf(error)}`);
      cause = error;
    }
  }
  signal?.throwIfAborted();
  throw new JujuError(
    'try again',
    `cannot connect to the controller (${failures.join('; ') || 'no addresses'})`,
    {
      cause,
    },
  );
}

/** Resolves when the WebSocket is open: paused, so that nothing is lost before someone listens. */
export function openSocket(
  url: string,
  options: { secureContext: SecureContext; signal?: AbortSignal; headers?: Record<string, string> },
): Promise<WebSocket> {
  const { secureContext, signal, headers } = options;
  return new Promise((resolve, reject) => {
    // ws hands these on to tls.connect; its types do not say so.
    const wsOptions: ClientOptions & Pick<ConnectionOptions, 'secureContext' | 'servername'> = {
      secureContext,
      servername: serverName,
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: frameSizeMax,
      perMessageDeflate: false,
      headers: headers ?? {},
    };
    const socket = new WebSocket(url, wsOptions);
    const onAbort = (): void => {
      reject(signal!.reason as Error);
      socket.terminate();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const settled = (): void => signal?.removeEventListener('abort', onAbort);
    // Stays: after an abort the socket tells once more that it never opened.
    socket.on('error', (error) => (settled(), reject(error)));
    socket.once('open', () => {
      settled();
      socket.pause();
      resolve(socket);
    });
  });
}

async function logIn(frames: Frames, options: ConnectOptions): Promise<LoginResult> {
  const { tag, password, nonce } = options.login;
  const request = {
    'auth-tag': tag,
    credentials: password,
    nonce: nonce ?? '',
    'client-version': clientVersion,
    'user-data': '',
    ...(options.cliArgs !== undefined && { 'cli-args': options.cliArgs }),
  };
  const limit = AbortSignal.timeout(handshakeTimeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const answer = await frames.call(
    { type: 'Admin', version: 3, id: '', request: 'Login', params: request },
    signal,
  );
  return parseLogin(answer as WireLogin);
}

interface WireLogin {
  'controller-tag'?: string;
  'model-tag'?: string;
  'server-version'?: string;
  servers?: ({ value: string; port: number }[] | null)[] | null;
  'user-info'?: { identity?: string; 'controller-access'?: string; 'model-access'?: string } | null;
  facades?: { name: string; versions: number[] }[] | null;
  'discharge-required-error'?: string;
}

function parseLogin(answer: WireLogin): LoginResult {
  if (answer['discharge-required-error'] !== undefined) {
    throw new JujuError('macaroon discharge required', answer['discharge-required-error']);
  }
  const user = answer['user-info'];
  return {
    controllerTag: answer['controller-tag'] ?? '',
    modelTag: answer['model-tag'] ?? '',
    serverVersion: answer['server-version'] ?? '',
    servers: (answer.servers ?? []).flatMap((group) =>
      (group ?? []).map(({ value, port }) => hostPort(value, port)),
    ),
    facades: new Map((answer.facades ?? []).map(({ name, versions }) => [name, versions])),
    ...(user && {
      user: {
        identity: user.identity ?? '',
        controllerAccess: user['controller-access'] ?? '',
        modelAccess: user['model-access'] ?? '',
      },
    }),
  };
}

function toConnection(frames: Frames, login: LoginResult, clock: Clock): Connection {
  const connection: Connection = {
    login,
    closed: frames.closed,
    close: () => frames.close(),
    async call<R>(
      facade: string,
      method: string,
      params: unknown = {},
      options: { version?: number; id?: string; signal?: AbortSignal } = {},
    ): Promise<R> {
      const version = options.version ?? chooseVersion(facade, login.facades.get(facade) ?? []);
      const request = { type: facade, version, id: options.id ?? '', request: method, params };
      return (await frames.call(request, options.signal)) as R;
    },
  };
  void keepAlive(frames, clock);
  return connection;
}

/** A peer that is gone without a word is found out: TCP alone may take a quarter of an hour. */
async function keepAlive(frames: Frames, clock: Clock): Promise<void> {
  const stop = new AbortController();
  void frames.closed.then((reason) => stop.abort(reason));
  try {
    for (;;) {
      await clock.sleep(pingIntervalMs, stop.signal);
      const ping = frames.call({ type: 'Pinger', version: 1, id: '', request: 'Ping', params: {} });
      const answered = ping.then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([answered, clock.sleep(pingTimeoutMs, stop.signal).then(() => false)]))) {
        frames.fail(new Error(`no answer to a ping for ${pingTimeoutMs / 1000} s`));
        return;
      }
    }
  } catch {
    // The connection is closed, and with it this loop.
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
