/** Server with the part of Vault's HTTP API that the controller uses (vault-state.ts). */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Server, AddressInfo } from 'node:net';
import { VaultState } from './vault-state.ts';

type HttpServer = Server & { closeAllConnections(): void };

export class FakeVault extends VaultState {
  readonly #server: HttpServer;
  /** URL of the server. */
  readonly endpoint: string;
  /** Number of requests so far. */
  asked = 0;
  /** Headers of the last request. */
  headers: IncomingMessage['headers'] = {};
  /** Function that is awaited before each write of a content. */
  onWrite: (() => Promise<void>) | undefined;
  /** Function that is awaited before each reading of a content. */
  onRead: (() => Promise<void>) | undefined;
  /** Text that is sent in place of each answer. */
  says: string | undefined;

  private constructor(server: HttpServer, scheme: string) {
    super();
    this.#server = server;
    this.endpoint = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response),
    );
  }

  /** Starts a server on a free port; `tls`: options for a server that speaks TLS. */
  static async start(tls?: ServerOptions): Promise<FakeVault> {
    const server = (tls ? createHttpsServer(tls) : createHttpServer()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeVault(server, tls ? 'https' : 'http');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    this.headers = request.headers;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const url = new URL(request.url ?? '', 'http://vault');
    const token = String(request.headers['x-vault-token'] ?? '');
    if (!/\/v1\/(?:sys|auth)\//.test(url.pathname)) {
      if (request.method === 'POST') await this.onWrite?.();
      if (request.method === 'GET') await this.onRead?.();
    }
    const isRefused = url.pathname === '/v1/sys/health' && request.headers['x-vault-namespace'] !== undefined;
    const [status, answer] = isRefused
      ? [400, { errors: ['unavailable operation'] }]
      : this.answer({
          method: request.method ?? '',
          path: url.pathname.replace('/v1/', ''),
          list: url.searchParams.get('list') === 'true',
          token,
          body,
        });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(this.says ?? (answer === undefined ? '' : JSON.stringify(answer)));
  }
}
