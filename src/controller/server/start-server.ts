/** The controller's one listener: HTTPS, and WebSockets over it. */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { WebSocketServer } from 'ws';
import type { KeyPair } from '../certificates.ts';
import type { CommandRunner } from './command-runner.ts';
import { UserCommands } from './commands.ts';
import type { CreatedContext } from './create-context.ts';
import type { ServerContext, ValidationFailure } from './context.ts';
import { serveDebugLog } from './debug-log.ts';
import { dialledHost } from './http-auth.ts';
import { serveHttp } from './http.ts';
import { matchSocketPath } from './routes.ts';
import type { Origin } from './session.ts';
import { openSessions, type Sessions } from './sessions.ts';
import { defined } from '../../core/defined.ts';

export interface ServerOptions {
  readonly created: CreatedContext;
  /** Certificate with its chain, and key, as PEM. */
  readonly tls: KeyPair;
  /** Address to listen on; default: all addresses. */
  readonly host?: string;
  /** Port to listen on; 0 = any free one. */
  readonly port: number;
  /** Runs commands of users; absent = there is no path `/commands`. */
  readonly commands?: CommandRunner;
}

export interface Server {
  readonly port: number;
  /** Addresses listened on, as `host:port`. */
  readonly addresses: readonly string[];
  /** Results that their schemas do not allow; with `validate`. */
  readonly validationFailures: readonly ValidationFailure[];
  /** Sets the certificate for new connections; open ones stay unchanged. */
  setCertificate(pair: KeyPair): void;
  /** Ends all connections and waits for their work. */
  stop(): Promise<void>;
}

/** Ciphers: all of TLS 1.3; of TLS 1.2 those with forward secrecy and authenticated encryption: no CBC. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
].join(':');
/** Timeout for a client that does not answer the close frame. */
const goodbyeMs = 500;

/** Starts the server. Errors: rejects when it cannot listen. */
export async function startServer({
  created,
  tls,
  host,
  port: listenPort,
  commands: runner,
}: ServerOptions): Promise<Server> {
  const { context, validationFailures } = created;
  const { services, limits } = context;

  const https = createServer({
    ...secureOptions(tls),
    handshakeTimeout: limits.handshakeMs,
    headersTimeout: 20_000,
    // Time for an upload over a slow line; a stalled upload is ended by the sockets' own timeout.
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
  const sessions = openSessions(context);

  https.on('connection', (socket: Socket) => context.newcomers.enter(socket));
  https.on('request', (request, response) => {
    const { done } = context.newcomers.serving(request.socket);
    response.on('close', done);
    context.track(serveHttp(context, request, response));
  });
  // Input that is neither TLS nor HTTP gets no answer, and is no reason to stop.
  https.on('tlsClientError', (error, socket) => {
    services.log.trace('TLS handshake failed', { error: error.message });
    // The socket gets no answer, which would wait for the handshake.
    socket.destroy();
  });
  https.on('clientError', (_error, socket) => refuse(socket, 400, 'Bad Request'));
  https.on('upgrade', upgradeWith({ context, webSockets, sessions, ...defined({ runner }) }));

  await listen(https, listenPort, host).catch(async (error: unknown) => {
    await sessions.stop();
    throw error;
  });
  const { port, address } = https.address() as AddressInfo;
  return {
    port,
    addresses: [`${address.includes(':') ? `[${address}]` : address}:${port}`],
    validationFailures,
    setCertificate: (pair) => https.setSecureContext(secureOptions(pair)),
    async stop() {
      const closed = new Promise<void>((resolve) => https.close(() => resolve()));
      for (const webSocket of webSockets.clients) webSocket.close(1001, 'the controller is stopping');
      https.closeIdleConnections();
      context.newcomers.stop();
      await sessions.stop();
      const timeout = new AbortController();
      await Promise.race([closed, services.clock.sleep(goodbyeMs, timeout.signal).catch(() => undefined)]);
      timeout.abort();
      for (const webSocket of webSockets.clients) webSocket.terminate();
      https.closeAllConnections();
      await closed;
      await created.settled();
    },
  };
}

function originOf(context: ServerContext, request: IncomingMessage, modelUuid: string): Origin {
  return {
    modelUuid,
    remote: request.socket.remoteAddress ?? '',
    host: dialledHost(context, request),
    onDischargeRequired: () => context.newcomers.typesPassword(request.socket),
    onLogin: () => context.newcomers.loggedIn(request.socket),
  };
}

interface Upgrades {
  readonly context: ServerContext;
  readonly webSockets: WebSocketServer;
  readonly sessions: Sessions;
  readonly runner?: CommandRunner;
}

/** Returns a function that opens WebSockets, each for what its path names. */
function upgradeWith({ context, webSockets, sessions, runner }: Upgrades) {
  const { services, limits } = context;
  const commands = runner && new UserCommands(context, runner);
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const path = matchSocketPath(request.url ?? '');
    if (!path || (path.kind === 'commands' && !commands)) return refuse(socket, 404, 'Not Found');
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      context.newcomers.limitBytes(request.socket, () => {
        webSocket.close(1009, `more than ${limits.newcomerBytes} bytes before a login`);
        // The answer of the client is not read any more.
        context.track(services.clock.sleep(goodbyeMs).then(() => webSocket.terminate()));
      });
      const { kind, modelUuid } = path;
      if (kind === 'commands') return context.track(commands!.serve(webSocket, { request, modelUuid }));
      if (kind === 'log') return context.track(serveDebugLog(context, webSocket, request, path));
      sessions.accept(webSocket, originOf(context, request, modelUuid));
    });
  };
}

function secureOptions({ certificate, key }: KeyPair): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true };
}

function listen(server: HttpsServer, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...defined({ host }), backlog: 4096 }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

/** Answers a connection that never became a request or a WebSocket. */
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
