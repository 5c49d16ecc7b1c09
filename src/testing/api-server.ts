/** A controller's API server in this process, on a store of its own, with a few users; and a raw client for it. */
import { migrationServices } from '../controller/migration/services.ts';
import { accessId } from '../core/access/document.ts';
import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { AgentBundles } from '../controller/agent-bundles.ts';
import { createAuthority, createServerCertificate, type KeyPair } from '../controller/certificates.ts';
import { createPasswordCheck } from '../controller/password-check.ts';
import { hashPassword, hashSecret } from '../controller/passwords.ts';
import { createContext, type ContextOptions } from '../controller/server/create-context.ts';
import { createPresence, type AgentPresence } from '../controller/server/presence.ts';
import { createRegistry, type RegistryEntry } from '../controller/server/registry.ts';
import { startServer, type Server, type ServerOptions } from '../controller/server/start-server.ts';
import { testSecrets } from './secrets.ts';
import { ResourceDownloads } from '../controller/resources/downloads.ts';
import type { Services } from '../controller/services.ts';
import { createDispatch } from '../controller/watchers/dispatch.ts';
import type { Entities } from '../core/kinds.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import type { UserDoc } from '../core/user/document.ts';
import { documents, indexes } from '../core/documents.ts';
import { notFound } from '../core/errors.ts';
import { systemClock, systemNextTurn, type Clock } from '../kit/clock.ts';
import { TurnWatch } from '../kit/turn-watch.ts';
import { createLog, type LogRecord } from '../kit/log.ts';
import { openFileBlobs } from '../store/files/open-file-blobs.ts';
import { openFileLogs } from '../store/files/open-file-logs.ts';
import { reportFiles } from '../store/files/report-files.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { noControllers } from '../controller/other-controllers.ts';
import { noBundles } from './bundles.ts';
import { passwordCost } from './password-cost.ts';
import { defined } from '../core/defined.ts';

export interface ApiServer {
  readonly server: Server;
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly presence: AgentPresence;
  readonly caCert: string;
  readonly authority: KeyPair;
  /** Replaces the server's certificate by one that the authority issues as of `now`, in milliseconds since 1970. */
  renewCertificate(now: number): Promise<void>;
  /** Log records of the controller. */
  readonly records: readonly LogRecord[];
  open(path: string, headers?: Record<string, string>): Promise<ApiClient>;
  /** Sends an HTTPS request. `auth`: `user-admin:password`. */
  http(
    method: string,
    path: string,
    options?: { auth?: string; headers?: Record<string, string>; body?: Buffer },
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>;
  stop(): Promise<void>;
}

export const testModel = '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b01';
export const otherModel = '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b02';
export const controllerModel = '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b03';
export const controllerUuid = '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b04';
/** Password of every user. */
export const password = 'sesame';
/** Password of every machine. */
export const machineSecret = 'c2VjcmV0IG9mIGEgbWFjaGluZQ==';
export const machineNonce = 'nonce-1';

/**
 * Starts the server. Users: admin (superuser), reader, writer, owner (admin of the test model), stranger (no model),
 * disabled. Models: test and other, each with machine 0, and the controller's.
 */
export async function startApiServer({
  facades = [],
  limits,
  validate,
  clock = systemClock,
  bundles = noBundles,
  turns = TurnWatch.none,
  storeBytes,
  audit,
  commands,
  programs,
}: {
  facades?: readonly RegistryEntry[];
  clock?: Clock;
  bundles?: AgentBundles;
  turns?: TurnWatch;
  /** Maximum size of the database; beyond it changes fail as on a full disk. */
  storeBytes?: number;
} & Pick<ContextOptions, 'audit' | 'limits' | 'validate'> &
  Pick<ServerOptions, 'commands'> &
  Pick<Services, 'programs'> = {}): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'grigri-api-'));
  const store = openSqliteStore<Entities>({
    path: join(folder, 'store.db'),
    logBytes: 0,
    ...defined({ maxBytes: storeBytes }),
    ...documents,
    now: () => clock.now(),
    newUuid: randomUUID,
  });
  const hash = await hashPassword(password, passwordCost);
  await store.change((tx) => populate(tx, hash), 'test');
  const records: LogRecord[] = [];
  const presence = createPresence(clock);
  const dispatch = createDispatch(store, indexes);
  const logs = openFileLogs({ folder: join(folder, 'logs') });
  const authority = await createAuthority({ now: Date.now(), uuid: controllerUuid });
  const blobs = openFileBlobs(join(folder, 'blobs'));
  const services: Services = {
    clock,
    nextTurn: systemNextTurn,
    turns,
    log: createLog(
      'test',
      (record) => records.push(record),
      () => clock.now(),
    ),
    random: Math.random,
    blobs,
    logs,
    presence,
    dispatch,
    providers: new Map(),
    elsewhere: noControllers,
    environ: (model) => {
      throw notFound('environment of model', model);
    },
    environOf: ({ uuid }) => services.environ(uuid, store.read()),
    ...migrationServices({ uploadsDir: folder, blobs }),
    tryCredential: () => Promise.resolve(),
    addresses: ['10.0.0.5:17070', '[fd00::5]:17070'],
    agentAddresses: async () => ['10.0.0.5:17070'],
    agentKey: createSecretKey(Buffer.alloc(32)),
    version: '3.6.28',
    caCert: authority.certificate,
    toolsDir: join(folder, 'tools'),
    downloads: new ResourceDownloads(),
    uploadsDir: folder,
    reportFiles: () => reportFiles({ blobs: join(folder, 'blobs'), logs: join(folder, 'logs') }),
    bundles,
    ...testSecrets(store, clock),
    ...defined({ programs }),
  };
  const created = createContext({
    store,
    services,
    presence,
    facades: createRegistry(facades),
    passwords: createPasswordCheck(passwordCost),
    ...defined({ audit, limits, validate }),
  });
  const certificate = (now: number): Promise<KeyPair> =>
    createServerCertificate({ authority, addresses: [], now });
  const server = await startServer({
    created,
    tls: await certificate(Date.now()),
    host: '127.0.0.1',
    port: 0,
    ...defined({ commands }),
  });
  const clients: ApiClient[] = [];
  return {
    server,
    store,
    services,
    presence,
    caCert: authority.certificate,
    authority,
    renewCertificate: async (now) => server.setCertificate(await certificate(now)),
    records,
    async open(path, headers = {}) {
      const url = `wss://127.0.0.1:${server.port}${path}`;
      const client = await openClient(url, authority.certificate, headers);
      clients.push(client);
      return client;
    },
    http: (method, path, options = {}) => http(server.port, authority.certificate, method, path, options),
    async stop() {
      for (const client of clients) client.socket.terminate();
      await server.stop();
      dispatch.stop();
      await store.close();
      await logs.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Tx = Parameters<Parameters<Store<Entities>['change']>[0]>[0];

function populate(tx: Tx, passwordHash: string): void {
  const createdAt = tx.now;
  tx.put('controller', 'self', {
    uuid: controllerUuid,
    name: 'test',
    cloud: 'simulated',
    region: '',
    modelUuid: controllerModel,
    config: {},
    createdAt,
  });
  const cloud = { name: 'simulated', type: 'simulated', authTypes: ['empty'], endpoint: '' };
  tx.put('cloud', 'simulated', { ...cloud, regions: [], config: {} });
  for (const name of ['admin', 'reader', 'writer', 'owner', 'stranger', 'disabled']) {
    const user: UserDoc = {
      name,
      displayName: '',
      passwordHash,
      access: name === 'admin' ? 'superuser' : 'login',
      createdAt,
      createdBy: 'admin',
      disabled: name === 'disabled',
    };
    tx.put('user', name, user);
  }
  for (const [name, uuid] of Object.entries({
    test: testModel,
    other: otherModel,
    controller: controllerModel,
  })) {
    tx.put('model', uuid, {
      uuid,
      name,
      owner: 'admin',
      life: 'alive',
      cloud: 'simulated',
      region: '',
      credential: '',
      config: {},
      constraints: {},
      createdAt,
    });
    tx.in(uuid).put('machine', '0', machine('0', createdAt));
  }
  for (const [user, access] of Object.entries({ reader: 'read', writer: 'write', owner: 'admin' } as const))
    tx.put('access', accessId({ user, model: testModel }), { user, model: testModel, access });
}

export function machine(id: string, createdAt: string): MachineDoc {
  return {
    id,
    life: 'alive',
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: {},
    nonce: machineNonce,
    passwordHash: hashSecret(machineSecret),
    addresses: [],
    hostname: '',
    removeWhenEmpty: true,
    clean: false,
    keepInstance: false,
    isController: false,
    createdAt,
  };
}

interface Frame {
  readonly 'request-id': number;
  readonly response?: unknown;
  readonly error?: string;
  readonly 'error-code'?: string;
}

/** Client that sends frames as they are given and returns received messages in order. */
export class ApiClient {
  readonly socket: WebSocket;
  /** Resolves with the close code of the connection. */
  readonly closed: Promise<number>;
  readonly #waiting: ((text: string) => void)[] = [];
  readonly #received: string[] = [];
  readonly #calls = new Map<number, (frame: Frame) => void>();
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    socket.on('message', (data) => this.#onMessage((data as Buffer).toString()));
    socket.on('error', () => undefined);
  }

  /** Returns the next message that answers no `call`. */
  next(): Promise<string> {
    const text = this.#received.shift();
    if (text !== undefined) return Promise.resolve(text);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async nextFrame(): Promise<Frame> {
    return JSON.parse(await this.next()) as Frame;
  }

  send(text: string): void {
    this.socket.send(text);
  }

  call(type: string, version: number, request: string, params: unknown = {}, id?: string): Promise<Frame> {
    const requestId = ++this.#lastId;
    const answer = new Promise<Frame>((resolve) => this.#calls.set(requestId, resolve));
    this.send(
      JSON.stringify({
        'request-id': requestId,
        type,
        version,
        request,
        params,
        ...defined({ id: id || undefined }),
      }),
    );
    return answer;
  }

  login(tag: string, credentials = password, nonce?: string): Promise<Frame> {
    return this.call('Admin', 3, 'Login', {
      'auth-tag': tag,
      credentials,
      ...defined({ nonce: nonce || undefined }),
    });
  }

  #onMessage(text: string): void {
    let id: number | undefined;
    try {
      id = (JSON.parse(text) as Frame)['request-id'];
    } catch {
      id = undefined;
    }
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (call) {
      this.#calls.delete(id!);
      call(JSON.parse(text) as Frame);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting(text);
    else this.#received.push(text);
  }
}

function openClient(url: string, ca: string, headers: Record<string, string>): Promise<ApiClient> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { ca, headers, perMessageDeflate: false });
    const client = new ApiClient(socket);
    socket.on('open', () => resolve(client));
    socket.on('error', reject);
  });
}

function http(
  port: number,
  ca: string,
  method: string,
  path: string,
  { auth, headers = {}, body }: { auth?: string; headers?: Record<string, string>; body?: Buffer },
): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        ca,
        servername: 'juju-apiserver',
        agent: false,
        headers: {
          ...(auth ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}),
          ...defined({ 'Content-Length': body ? String(body.length) : undefined }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Credentials in the form `user-admin:…`, for `http` and the headers of `open`. */
export const basic = (tag: string, secret = password): string => `${tag}:${secret}`;
export const basicHeader = (tag: string, secret = password): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(basic(tag, secret)).toString('base64')}`,
});
