/** Connection over an open WebSocket: the login, the calls, and the pings that detect a dead peer. */
import { JujuError } from '../core/errors.ts';
import { jujuVersion } from '../core/juju-version.ts';
import { timeLimit, type Clock } from '../kit/clock.ts';
import { hostPort } from '../core/host-port.ts';
import type { ConnectOptions, Connection, LoginResult } from './connection.ts';
import { chooseVersion } from './facade-versions.ts';
import { openFrames, type Frames, type FrameSocket } from './frames.ts';
import { defined } from '../core/defined.ts';

const loginTimeoutMs = 20_000;
const pingIntervalMs = 30_000;
const pingTimeoutMs = 30_000;

type OpenOptions = Pick<ConnectOptions, 'login' | 'signal' | 'cliArgs'> & { readonly clock: Clock };

/**
 * Logs in and returns the connection. Errors: JujuError of the login (`unauthorized access`, `model not found`…) or
 * `try again`; a timeout.
 */
export async function openConnection(socket: FrameSocket, options: OpenOptions): Promise<Connection> {
  const frames = openFrames(socket);
  try {
    const login = await logIn(frames, options);
    return toConnection(frames, login, options.clock);
  } catch (error) {
    frames.fail(error as Error);
    throw error;
  }
}

async function logIn(frames: Frames, options: OpenOptions): Promise<LoginResult> {
  const { tag, password, nonce, macaroons } = options.login;
  const request = {
    'auth-tag': tag,
    credentials: password,
    nonce: nonce ?? '',
    'client-version': jujuVersion,
    'user-data': '',
    'own-facades': true,
    'bakery-version': 3,
    ...defined({ macaroons, 'cli-args': options.cliArgs }),
  };
  const limit = timeLimit(options.clock, loginTimeoutMs, options.signal);
  try {
    const answer = await frames.call(
      { type: 'Admin', version: 3, id: '', request: 'Login', params: request },
      limit.signal,
    );
    return parseLogin(answer as WireLogin);
  } finally {
    limit.done();
  }
}

interface WireLogin {
  'controller-tag'?: string;
  'model-tag'?: string;
  'server-version'?: string;
  servers?: ({ value: string; port: number }[] | null)[] | null;
  'user-info'?: { identity?: string; 'controller-access'?: string; 'model-access'?: string } | null;
  facades?: { name: string; versions: number[] }[] | null;
  'discharge-required'?: unknown;
  'bakery-discharge-required'?: unknown;
  'discharge-required-error'?: string;
  problem?: string;
}

function parseLogin(answer: WireLogin): LoginResult {
  if (answer['discharge-required-error'] !== undefined) {
    throw new JujuError('macaroon discharge required', answer['discharge-required-error'], {
      info: { macaroon: answer['bakery-discharge-required'] ?? answer['discharge-required'] },
    });
  }
  const user = answer['user-info'];
  return {
    controllerTag: answer['controller-tag'] ?? '',
    modelTag: answer['model-tag'] ?? '',
    serverVersion: answer['server-version'] ?? '',
    servers: (answer.servers ?? []).flatMap((group) =>
      (group ?? []).map(({ value, port }) => hostPort(value, port)),
    ),
    ...defined({ problem: answer.problem }),
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

/** Pings the peer, because TCP alone may take a quarter of an hour to notice that it is gone. */
async function keepAlive(frames: Frames, clock: Clock): Promise<void> {
  const stop = new AbortController();
  void frames.closed.then((reason) => stop.abort(reason));
  try {
    for (;;) {
      await clock.sleep(pingIntervalMs, stop.signal);
      const ping = frames.call({ type: 'Pinger', version: 1, id: '', request: 'Ping', params: {} });
      const answer = ping.then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([answer, clock.sleep(pingTimeoutMs, stop.signal).then(() => false)]))) {
        frames.fail(new Error(`no answer to a ping for ${pingTimeoutMs / 1000} s`));
        return;
      }
    }
  } catch {
    // The connection is closed, which ends this loop too.
  }
}
