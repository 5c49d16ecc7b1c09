/** Connections as Juju's Go client makes them: raw frames over TLS, a login for each, the newest facade versions. */
import { createHash } from 'node:crypto';
import { request } from 'node:https';
import type { ConnectionOptions as SecureOptions } from 'node:tls';
import { WebSocket, type ClientOptions } from 'ws';

export interface Account {
  readonly url: string;
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}
export type Json = Readonly<Record<string, unknown>>;

/** Facades and their newest versions that the provider's Go client knows. */
const known: Readonly<Record<string, number>> = {
  Action: 7,
  Annotations: 2,
  Application: 22,
  ApplicationOffers: 5,
  Charms: 7,
  Client: 8,
  Cloud: 7,
  Controller: 13,
  KeyManager: 1,
  MachineManager: 11,
  ModelConfig: 4,
  ModelManager: 10,
  Resources: 3,
  SecretBackends: 1,
  Secrets: 2,
  Spaces: 6,
  Storage: 7,
  Subnets: 5,
  UserManager: 3,
};

/** Error of the API. */
export class ApiError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

export class Api {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (frame: Json) => void>();
  readonly #versions = new Map<string, number>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Json;
      this.#waiting.get(frame['request-id'] as number)?.(frame);
    });
    socket.on('close', () => {
      for (const resolve of this.#waiting.values()) resolve({ error: 'connection closed' });
    });
  }

  /** Logs in, to a model when its UUID is given. Errors: ApiError. */
  static async open({ url, ca, user, password }: Account, model?: string): Promise<Api> {
    const path = model === undefined ? '/api' : `/model/${model}/api`;
    const options: ClientOptions & SecureOptions = { ca, servername: 'juju-apiserver' };
    const socket = new WebSocket(`${url}${path}`, options);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const api = new Api(socket);
    const login = (await api.#send('Admin', 3, 'Login', {
      'auth-tag': `user-${user}`,
      credentials: password,
      nonce: '',
      macaroons: null,
      'cli-args': '',
      'user-data': '',
      'client-version': '4.0.0',
    })) as {
      facades: { name: string; versions: number[] }[];
      'controller-tag': string;
      'server-version': string;
    };
    if (!/^controller-[0-9a-f-]{36}$/.test(login['controller-tag'])) throw new Error('no controller tag');
    for (const { name, versions } of login.facades) {
      const best = Math.max(0, ...versions.filter((version) => version <= (known[name] ?? 0)));
      api.#versions.set(name, best);
    }
    return api;
  }

  /** Returns the version of a facade that both sides know; 0: none. */
  best(facade: string): number {
    return this.#versions.get(facade) ?? 0;
  }

  /** Calls a method. Errors: ApiError. */
  async call(facade: string, method: string, params: Json = {}): Promise<Json> {
    const version = this.best(facade);
    if (version === 0) throw new Error(`no version of ${facade} in common`);
    return this.#send(facade, version, method, params);
  }

  /** Calls a method as `call`; the result is a list, whose first error is thrown. */
  async results<T = Json>(facade: string, method: string, params: Json = {}): Promise<readonly T[]> {
    const { results } = (await this.call(facade, method, params)) as { results?: readonly T[] | null };
    for (const one of results ?? []) throwError(one);
    return results ?? [];
  }

  close(): void {
    this.#socket.close();
  }

  #send(type: string, version: number, method: string, params: Json): Promise<Json> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (frame) => {
        this.#waiting.delete(id);
        const {
          error,
          'error-code': code = '',
          response = {},
        } = frame as {
          error?: string;
          'error-code'?: string;
          response?: Json;
        };
        if (error === undefined) resolve(response);
        else reject(new ApiError(`${type}.${method}: ${error}`, code));
      });
      this.#socket.send(JSON.stringify({ 'request-id': id, type, version, request: method, params }));
    });
  }
}

function throwError(result: unknown): void {
  const { error, Error: other } = (result ?? {}) as {
    error?: { message: string; code?: string } | null;
    Error?: { message: string; code?: string } | null;
  };
  const found = error ?? other;
  if (found) throw new ApiError(found.message, found.code ?? '');
}

/** Opens a connection for one operation, as the provider does for each. */
export async function withApi<T>(
  account: Account,
  model: string | undefined,
  run: (api: Api) => Promise<T>,
): Promise<T> {
  const api = await Api.open(account, model);
  try {
    return await run(api);
  } finally {
    api.close();
  }
}

/** Uploads a charm's archive as Juju's Go client does. Returns its URL. Errors: plain Error. */
export async function putCharm(account: Account, model: string, name: string, zip: Buffer): Promise<string> {
  const hash = createHash('sha256').update(zip).digest('hex').slice(0, 7);
  const { status, headers, body } = await put(account, `/model-${model}/charms/${name}-${hash}`, zip, {
    'Content-Type': 'application/zip',
    'Juju-Curl': `local:${name}-0`,
  });
  const url = headers['juju-curl'];
  if (status !== 200 || typeof url !== 'string') throw new Error(`charm not uploaded: ${status} ${body}`);
  return url;
}

/** Uploads a pending resource. Errors: plain Error. */
export async function putResource(
  account: Account,
  model: string,
  {
    application,
    name,
    pendingId,
    content,
  }: { application: string; name: string; pendingId: string; content: Buffer },
): Promise<void> {
  const path = `/model/${model}/applications/${application}/resources/${name}?pendingid=${pendingId}`;
  const { status, body } = await put(account, path, content, {
    'Content-Type': 'application/octet-stream',
    'Content-Sha384': createHash('sha384').update(content).digest('hex'),
    'Content-Disposition': `form-data; filename="${name}.txt"`,
  });
  if (status !== 200) throw new Error(`resource not uploaded: ${status} ${body}`);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function put(
  { url, ca, user, password }: Account,
  path: string,
  content: Buffer,
  headers: Record<string, string>,
): Promise<Answer> {
  const target = new URL(path, url.replace(/^wss/, 'https'));
  const auth = `user-${user}:${password}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      target,
      { method: 'PUT', ca, servername: 'juju-apiserver', auth, headers },
      (response) => {
        let body = '';
        response.on('data', (part: Buffer) => (body += part.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(content);
  });
}
