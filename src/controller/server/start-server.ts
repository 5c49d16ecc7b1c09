/** The controller's one listener: HTTPS, and WebSockets over it (facts: wire-facts §1.1). */
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Entities } from '../../core/entities.ts';
import type { Store } from '../../store/store.ts';
import type { KeyPair } from '../certificates.ts';
import type { Services } from '../services.ts';
import { defaultLimits, type Limits, type ServerContext, type ValidationFailure } from './context.ts';
import { serveDebugLog } from './debug-log.ts';
import { serveHttp } from './http.ts';
import { LoginThrottle } from './login-throttle.ts';
import type { AgentPresence } from './presence.ts';
import type { FacadeRegistry } from './registry.ts';
import { matchSocketPath } from './routes.ts';
import { Session } from './session.ts';

export interface ServerOptions {
  readonly store: Store<Entities>;
  readonly services: Services;
  /** Where the server tells which agents are connected; services.presence asks it. */
  readonly presence: AgentPresence;
  readonly facades: FacadeRegistry;
  /** PEM; the certificate with its chain. */
  readonly tls: KeyPair;
  /** Default: all addresses. */
  readonly host?: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly limits?: Partial<Limits>;
  /** Checks each result against its schema; for tests. */
  readonly validate?: boolean;
}

export interface Server {
  readonly port: number;
  /** `host:port`, as listened on. */
  readonly addresses: readonly string[];
  /** Results that their schemas do not allow; with `validate`. */
  readonly validationFailures: readonly ValidationFailure[];
  /** Ends all connections and waits for what they were doing. */
  stop(): Promise<void>;
}

const livenessIntervalMs = 30_000;
/** For a client that does not answer our goodbye. */
const goodbyeMs = 500;
/** For requests that nobody waits for any more: the store closes next, and fails what is still under way. */
const workMs = 5_000;

/** Errors: rejects when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { store, services, presence, facades, tls } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const work = new Set<Promise<unknown>>();
  const validationFailures: ValidationFailure[] = [];
  const context: ServerContext = {
    store,
    services,
    presence,
    facades,
    limits,
    throttle: new LoginThrottle(services.clock),
    ...(options.validate ? { onInvalidResult: (failure) => validationFailures.push(failure) } : {}),
    track(promise) {
      work.add(promise);
      void promise.catch(() => undefined).finally(() => work.delete(promise));
    },
  };

  const https = createServer({
    cert: tls.certificate,
    key: tls.key,
    minVersion: 'TLSv1.2',
    headersTimeout: 20_000,
    // An upload over a slow line; what comes and stops is ended by the sockets' own timeout.
    requestTimeout: 1_800_000,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 10_000,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
  https.maxConnections = limits.connections;
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    clientTracking: true,
  });
  const sessions = new Set<Session>();

  https.on('request', (request, response) => context.track(serveHttp(context, request, response)));
  // What is no TLS, or no HTTP: nothing to answer, and no reason to end.
  https.on('tlsClientError', (error) => services.log.trace('TLS handshake failed', { error: error.message }));
  https.on('clientError', (_error, socket) => refuse(socket, 400, 'Bad Request'));
  https.on('upgrade', (request, socket, head) => {
    const path = matchSocketPath(request.url ?? '');
    if (!path) return refuse(socket, 404, 'Not Found');
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const remote = request.socket.remoteAddress ?? '';
      if (path.kind === 'log') return context.track(serveDebugLog(context, webSocket, request, path));
      const session = new Session(context, webSocket, { modelUuid: path.modelUuid, remote });
      sessions.add(session);
      webSocket.on('close', () => sessions.delete(session));
    });
  });

  await listen(https, options.port, options.host);
  const stopping = new AbortController();
  const liveness = checkLiveness(services, sessions, stopping.signal);
  const { port, address } = https.address() as AddressInfo;
  return {
    port,
    addresses: [`${address.includes(':') ? `[${address}]` : address}:${port}`],
    validationFailures,
    async stop() {
      stopping.abort(new Error('server stopped'));
      const closed = new Promise<void>((resolve) => https.close(() => resolve()));
      for (const webSocket of webSockets.clients) sayGoodbye(webSocket);
      https.closeIdleConnections();
      const timer = setTimeout(() => {
        for (const webSocket of webSockets.clients) webSocket.terminate();
        https.closeAllConnections();
      }, goodbyeMs);
      await closed;
      clearTimeout(timer);
      await liveness;
      await settled(work);
    },
  };
}

async function settled(work: ReadonlySet<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, workMs)));
  const done = async (): Promise<void> => {
    while (work.size > 0) await Promise.allSettled(work);
  };
  await Promise.race([done(), expired]);
  clearTimeout(timer);
}

function listen(server: HttpsServer, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 4096 }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function checkLiveness(services: Services, sessions: Set<Session>, signal: AbortSignal): Promise<void> {
  const { clock } = services;
  while (!signal.aborted) {
    await clock.sleep(livenessIntervalMs, signal).catch(() => undefined);
    if (!signal.aborted) for (const session of sessions) session.checkLiveness(clock.now());
  }
}

function sayGoodbye(webSocket: WebSocket): void {
  webSocket.close(1001, 'the controller stops');
}

/** An answer to what never became a request or a WebSocket. */
function refuse(socket: Duplex | Socket, status: number, text: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({
    error: { message: text.toLowerCase(), code: status === 404 ? 'not found' : 'bad request' },
  });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
