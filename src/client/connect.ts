import { createSecureContext, type ConnectionOptions, type SecureContext } from 'node:tls';
import { WebSocket, type ClientOptions } from 'ws';
import { JujuError } from '../core/errors.ts';
import { systemClock } from '../kit/clock.ts';
import type { ConnectOptions, Connection } from './connection.ts';
import { openConnection } from './open-connection.ts';
import { defined } from '../core/defined.ts';

/** Name in the controller's certificate, whatever the controller's address (wire.md#certificate-name). */
export const serverName = 'juju-apiserver';
const handshakeTimeoutMs = 20_000;
/** Maximum size of a frame in bytes. FullStatus of 10,000 units is far below it. */
const frameSizeMax = 512 * 1024 * 1024;

/**
 * Connects to the first address that answers and logs in. Errors: JujuError `try again` when none answers; the
 * login's own (`unauthorized access`, `model not found`…), after which no other address is tried.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { modelUuid, signal } = options;
  const path = modelUuid === undefined ? '/api' : `/model/${modelUuid}/api`;
  const secureContext = options.secureContext ?? pinnedContext(options.caCert);
  const socket = await firstThatAnswers(options.addresses, signal, (address) =>
    openSocket(`wss://${address}${path}`, {
      secureContext,
      ...defined({ signal, answerMax: options.answerMax }),
    }),
  );
  const connection = openConnection(socket, { ...options, clock: options.clock ?? systemClock });
  socket.resume();
  return connection;
}

/** TLS context that trusts only this CA. One context may serve many connections. */
export function pinnedContext(caCert: string): SecureContext {
  return createSecureContext({ ca: caCert, minVersion: 'TLSv1.2' });
}

/**
 * Runs `attempt` at each address in turn until one succeeds. Errors: JujuError `try again` that names all addresses.
 */
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

/** Resolves with the open WebSocket. The socket is paused, so that no message is lost before someone listens. */
export function openSocket(
  url: string,
  options: {
    secureContext: SecureContext;
    signal?: AbortSignal;
    headers?: Record<string, string>;
    answerMax?: number;
  },
): Promise<WebSocket> {
  const { secureContext, signal, headers, answerMax = frameSizeMax } = options;
  return new Promise((resolve, reject) => {
    // The library ws passes secureContext and servername on to tls.connect; its types do not declare them.
    const wsOptions: ClientOptions & Pick<ConnectionOptions, 'secureContext' | 'servername'> = {
      secureContext,
      servername: serverName,
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: answerMax,
      perMessageDeflate: false,
      headers: headers ?? {},
    };
    const socket = new WebSocket(url, wsOptions);
    const onAbort = (): void => {
      reject(signal!.reason as Error);
      socket.terminate();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const removeAbortListener = (): void => signal?.removeEventListener('abort', onAbort);
    // The error listener stays: after an abort, ws emits a second error because the socket never opened.
    socket.on('error', (error) => (removeAbortListener(), reject(error)));
    socket.once('open', () => {
      removeAbortListener();
      socket.pause();
      resolve(socket);
    });
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
