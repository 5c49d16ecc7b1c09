/** A server with the part of Vault's HTTP API that the controller uses: KV engines of both versions, tokens, seals. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Engine {
  readonly description: string;
  readonly version: '1' | '2';
  readonly data: Map<string, unknown>;
}

export class FakeVault {
  readonly #server: Server;
  /** URL of the server. */
  readonly endpoint: string;
  readonly #engines = new Map<string, Engine>();
  readonly #tokens = new Set(['root']);
  #made = 0;
  isSealed = false;
  /** The number of requests. */
  asked = 0;
  /** Waits for this before each write of a content. */
  onWrite: (() => Promise<void>) | undefined;
  /** Sends this in place of each answer. */
  says: string | undefined;
  /** The longest life of a token that is made, in seconds. */
  tokenSecondsMax = Infinity;
  /** The number of writes of contents until the server is sealed; undefined = it is not. */
  sealsAfter: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<FakeVault> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeVault(server);
  }

  /** Paths of engines, and in them of contents, with what is there. */
  contents(): Record<string, Record<string, unknown>> {
    return Object.fromEntries([...this.#engines].map(([path, { data }]) => [path, Object.fromEntries(data)]));
  }

  /** Makes an engine, as an operator does. */
  mount(path: string, engine: Pick<Engine, 'description' | 'version'>): void {
    this.#engines.set(path, { ...engine, data: new Map() });
  }

  /** Moves an engine to another path; `version`: makes it of that version. */
  move(from: string, to: string, version?: Engine['version']): void {
    const engine = this.#engines.get(from)!;
    this.#engines.delete(from);
    this.#engines.set(to, { ...engine, version: version ?? engine.version });
  }

  tokens(): string[] {
    return [...this.#tokens];
  }

  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const url = new URL(request.url ?? '', 'http://vault');
    const token = String(request.headers['x-vault-token'] ?? '');
    if (request.method === 'POST' && !/\/v1\/(?:sys|auth)\//.test(url.pathname)) await this.onWrite?.();
    const [status, answer] = this.#answer({
      method: request.method ?? '',
      path: url.pathname.replace('/v1/', ''),
      list: url.searchParams.get('list') === 'true',
      token,
      body,
    });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(this.says ?? (answer === undefined ? '' : JSON.stringify(answer)));
  }

  #answer(asked: Asked): [number, unknown?] {
    const { path, token } = asked;
    if (path === 'sys/health') return [this.isSealed ? 503 : 200, { sealed: this.isSealed }];
    if (this.isSealed) return [503, { errors: ['Vault is sealed'] }];
    if (!this.#tokens.has(token)) return [403, { errors: ['permission denied'] }];
    if (path.startsWith('auth/token/')) return this.#token(asked);
    return path.startsWith('sys/mounts') ? this.#mount(asked) : this.#content(asked);
  }

  #token({ path, token, body }: Asked): [number, unknown?] {
    if (path === 'auth/token/lookup-self') return [200, { data: { policies: ['root'] } }];
    if (path === 'auth/token/revoke-self') return (this.revoke(token), [204]);
    if (path !== 'auth/token/create-orphan') return [404, { errors: [] }];
    const made = `made-${++this.#made}`;
    this.#tokens.add(made);
    const seconds = Math.min(Number.parseInt(String(body['ttl'])), this.tokenSecondsMax);
    return [200, { auth: { client_token: made, lease_duration: seconds } }];
  }

  #mount({ method, path, body }: Asked): [number, unknown?] {
    const name = decodeURIComponent(path.slice('sys/mounts/'.length));
    if (path === 'sys/mounts') {
      const engines = [...this.#engines].map(([at, { description, version }]) => [
        `${at}/`,
        { type: 'kv', description, options: { version } },
      ]);
      return [
        200,
        {
          data: {
            'sys/': { type: 'system', description: '', options: null },
            ...Object.fromEntries(engines),
          },
        },
      ];
    }
    if (method === 'DELETE') return (this.#engines.delete(name), [204]);
    if (this.#engines.has(name)) return [400, { errors: [`path is already in use at ${name}/`] }];
    const { description, options } = body as { description: string; options: { version: '1' | '2' } };
    this.mount(name, { description, version: options.version });
    return [204];
  }

  #content({ method, path, list, body }: Asked): [number, unknown?] {
    const at = [...this.#engines.keys()].find((one) => path.startsWith(`${one}/`));
    const engine = at === undefined ? undefined : this.#engines.get(at);
    if (!engine) return [404, { errors: [`no handler for route "${path}"`] }];
    const rest = decodeURIComponent(path.slice(at!.length + 1));
    if (engine.version === '2' && !/^(?:data|metadata)\//.test(rest)) return [404, { errors: [] }];
    const name = engine.version === '2' ? rest.slice(rest.indexOf('/') + 1) : rest;
    const { data } = engine;
    if (list) return data.size === 0 ? [404, { errors: [] }] : [200, { data: { keys: [...data.keys()] } }];
    if (method === 'POST') {
      if (this.sealsAfter !== undefined && this.sealsAfter-- <= 0) {
        this.isSealed = true;
        return [503, { errors: ['Vault is sealed'] }];
      }
      data.set(name, engine.version === '2' ? body['data'] : body);
      return engine.version === '2' ? [200, { data: { version: 1 } }] : [204];
    }
    if (method === 'DELETE') return (data.delete(name), [204]);
    if (!data.has(name)) return [404, { errors: [] }];
    return [200, { data: engine.version === '2' ? { data: data.get(name) } : data.get(name) }];
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly list: boolean;
  readonly token: string;
  readonly body: Record<string, unknown>;
}
