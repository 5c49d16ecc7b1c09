/** Calls of facade methods in process, through the server's own dispatch, on a real store in a temporary folder. */
import { defined } from '../core/defined.ts';
import { migrationServices } from '../controller/migration/services.ts';
import { accessId } from '../core/access/document.ts';
import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { facades } from '../controller/facades/index.ts';
import { LocalLogin } from '../controller/macaroons/local-login.ts';
import { OfferMacaroons } from '../controller/macaroons/offer-macaroons.ts';
import { noControllers } from '../controller/other-controllers.ts';
import { createPasswordCheck } from '../controller/password-check.ts';
import type { Identity } from '../controller/server/access.ts';
import { Appliers } from '../controller/server/appliers.ts';
import { ConnectionWatchers } from '../controller/server/connection-resources.ts';
import { defaultLimits, type ServerContext } from '../controller/server/context.ts';
import { dispatch } from '../controller/server/dispatch.ts';
import { AnonymousConnections } from '../controller/server/anonymous-connections.ts';
import { WatchersOfRelations } from '../controller/server/watchers-of-relations.ts';
import { BootReports } from '../controller/server/boot-reports.ts';
import { AgentLogins } from '../controller/server/agent-logins.ts';
import { SecurityLog } from '../controller/server/security-log.ts';
import { LoginThrottle } from '../controller/server/login-throttle.ts';
import { Newcomers } from '../controller/server/newcomers.ts';
import { createPresence } from '../controller/server/presence.ts';
import { createRegistry } from '../controller/server/registry.ts';
import { testSecrets } from './secrets.ts';
import { DownloadSlots, downloadLimits } from '../controller/resources/download-slots.ts';
import { ResourceDownloads } from '../controller/resources/downloads.ts';
import type { Services } from '../controller/services.ts';
import { createModel } from '../controller/transactions/begin/create-model.ts';
import type { Tx, View } from '../controller/transactions/tx.ts';
import { createDispatch } from '../controller/watchers/dispatch.ts';
import { parseMetadata } from '../core/charm/metadata.ts';
import type { CharmDoc } from '../core/charm/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { UserDoc } from '../core/user/document.ts';
import { documents, indexes } from '../core/documents.ts';
import { JujuError } from '../core/errors.ts';
import { systemClock, systemNextTurn, type Clock } from '../kit/clock.ts';
import { TurnWatch } from '../kit/turn-watch.ts';
import { silentLog } from '../kit/log.ts';
import type { AttributeSchema, Environ, Provider } from '../providers/contract/provider.ts';
import { validateConfig } from '../providers/toolkit/validate-config.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { LogLine } from '../store/logs.ts';
import type { BlobStore } from '../store/blobs.ts';
import type { Store } from '../store/store.ts';
import { noBundles } from './bundles.ts';
import { passwordCost } from './password-cost.ts';

export interface Callers extends AsyncDisposable {
  readonly store: Store<Entities>;
  /** Uuid of the model `default`, which admin owns. */
  readonly model: string;
  readonly controllerModel: string;
  readonly context: ServerContext;
  /**
   * Calls as the user `admin` (superuser), newest version, on the model unless the facade is the controller's.
   * Returns the result as it is sent, checked against its schema. Rejects with the JujuError that would be sent.
   */
  call<R = unknown>(facade: string, method: string, params?: unknown, how?: How): Promise<R>;
  /** Runs a transaction in the model. */
  change<T>(fn: (tx: Tx) => T): Promise<T>;
  view(): View;
  /** Opens another connection from the address. */
  connect(from: string): ConnectionWatchers;
  /** Puts a charm into the model. */
  addCharm(name: string, raw?: Record<string, unknown>, rest?: Partial<CharmDoc>): Promise<string>;
  addUser(name: string, access?: UserDoc['access']): Promise<void>;
  grant(user: string, access: 'read' | 'write' | 'admin', model?: string): Promise<void>;
  /** Advances the time that transactions and facades see; it starts at 2026-01-01T00:00:00Z. */
  advance(ms: number): void;
  /** Marks the machine's agent as connected. Returns a function that ends this. */
  setPresent(machine: string): () => void;
  /** Lines written into the models' logs. */
  readonly logged: readonly (LogLine & { readonly model: string })[];
}
export interface How {
  readonly as?: string | Identity;
  readonly version?: number;
  readonly id?: string;
  /** Model of the connection; '' = a controller connection. */
  readonly model?: string;
  /** Another connection than the one of all calls. */
  readonly connection?: ConnectionWatchers;
}

/** Registry shared by all tests of a process: its decoders are compiled once. */
const registry = createRegistry(facades);

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  if (!signal) return Promise.reject(new Error('nothing sleeps here'));
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/**
 * Creates the callers. `environ`: members that replace those of the default test cloud. `sleep`: clock for waits with a
 * time limit; by default such waits end only with news.
 */
export async function createCallers({
  environ = {},
  tryCredential = () => Promise.resolve(),
  sleep = (_ms, signal) => untilAborted(signal),
  agentBuild,
  forecasts,
  programs,
  retention,
}: {
  /** How much of the past the store keeps. */
  retention?: { readonly revisions: number; readonly valueBytes: number };
  /** Build of the controller's agent. */
  agentBuild?: string;
  environ?: Partial<Environ>;
  tryCredential?: Services['tryCredential'];
  sleep?: Clock['sleep'];
  forecasts?: Services['forecasts'];
  programs?: Services['programs'];
} = {}): Promise<Callers> {
  const logged: (LogLine & { model: string })[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'grigri-call-'));
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = openSqliteStore<Entities>({
    path: join(folder, 'store.db'),
    logBytes: 0,
    ...documents,
    now: () => now,
    newUuid: randomUUID,
    ...defined({ retention }),
  });
  const { model, controllerModel } = await fill(store);
  const presence = createPresence({ now: () => now });
  const blobs: BlobStore = {
    put: unused,
    adopt: unused,
    path: unused,
    read: unused,
    readPart: unused,
    list: unused,
    keep: unused,
    remove: unused,
  };
  const services: Services = {
    clock: { now: () => now, sleep },
    nextTurn: systemNextTurn,
    turns: TurnWatch.none,
    ...defined({ agentBuild }),
    log: silentLog,
    random: () => 0.5,
    blobs,
    logs: {
      append: (of, lines) => void logged.push(...lines.map((line) => ({ ...line, model: of }))),
      replay: unused,
      last: () => Promise.resolve([]),
      follow: unused,
      remove: unused,
      close: unused,
    },
    presence,
    dispatch: createDispatch(store, indexes),
    providers: new Map([['test', testProvider]]),
    environ: () => ({ ...testEnviron, ...environ }),
    environOf: ({ uuid }) => services.environ(uuid, store.read()),
    ...migrationServices({ uploadsDir: '/nowhere', blobs }),
    tryCredential,
    addresses: ['10.0.0.1:17070'],
    agentAddresses: () => Promise.resolve(['10.0.0.1:17070']),
    agentKey: createSecretKey(Buffer.alloc(32)),
    version: '3.6.28',
    caCert: 'the CA',
    toolsDir: '/nowhere',
    reportFiles: () => Promise.resolve({ blobs: { count: 0, bytes: 0 }, logs: [] }),
    downloads: new ResourceDownloads(),
    uploadsDir: '/nowhere',
    bundles: noBundles,
    elsewhere: noControllers,
    ...defined({ forecasts, programs }),
    ...testSecrets(store, { ...systemClock, now: () => now }),
  };
  const working = new Set<Promise<unknown>>();
  const context: ServerContext = {
    store,
    services: { ...services, presence },
    presence,
    facades: registry,
    limits: defaultLimits,
    throttle: new LoginThrottle(services.clock),
    security: new SecurityLog(services.clock, services.log),
    agentLogins: new AgentLogins(store, services.clock),
    downloadSlots: new DownloadSlots(() => downloadLimits(store)),
    newcomers: new Newcomers(services.clock, defaultLimits),
    bootReports: new BootReports(services.clock),
    passwords: createPasswordCheck(passwordCost),
    localLogin: new LocalLogin({ store, services }),
    offerMacaroons: new OfferMacaroons({ store, services }),
    anonymous: new AnonymousConnections(),
    watchersOfRelations: new WatchersOfRelations(),
    appliers: new Appliers(),
    onInvalidResult: () => undefined,
    track: (work) => void working.add(work.finally(() => working.delete(work))),
  };
  const connection = new ConnectionWatchers(context, '10.0.0.9');
  const connections = [connection];
  const change = <T>(fn: (tx: Tx) => T): Promise<T> => store.change((tx) => fn(tx.in(model)), 'test');

  return {
    store,
    model,
    controllerModel,
    context,
    async call<R>(facade: string, method: string, params: unknown = {}, how: How = {}) {
      const spec = facades.find((entry) => entry.spec.name === facade)?.spec;
      const identity =
        typeof how.as === 'object' ? how.as : ({ kind: 'user', name: how.as ?? 'admin' } as const);
      const result = await dispatch(context, {
        frame: {
          requestId: 1,
          type: facade,
          version: how.version ?? spec?.versions.at(-1) ?? 0,
          id: how.id ?? '',
          request: method,
          params,
        },
        identity,
        host: '10.0.0.1:17070',
        modelUuid: how.model ?? (spec?.on === 'controller' ? '' : model),
        connection: how.connection ?? connection,
      });
      return JSON.parse(JSON.stringify(result)) as R;
    },
    change,
    view: () => store.read().in(model),
    connect(from) {
      const one = new ConnectionWatchers(context, from);
      connections.push(one);
      return one;
    },
    async addCharm(name, raw = {}, rest = {}) {
      const url = `local:${name}-${rest.revision ?? 0}`;
      await change((tx) =>
        tx.put('charm', url, {
          url,
          name,
          revision: 0,
          sha256: name.padEnd(64, '0'),
          size: 1,
          version: '',
          meta: parseMetadata({ name, summary: `The ${name}`, description: name, ...raw }),
          config: {},
          actions: {},
          bases: [{ name: 'ubuntu', channel: '24.04/stable' }],
          uploadedAt: tx.now,
          ...rest,
        }),
      );
      return url;
    },
    addUser: (name, access = 'login') => store.change((tx) => putUser(tx, name, access), 'test'),
    grant: (user, access, uuid = model) =>
      store.change(
        (tx) => tx.put('access', accessId({ user, model: uuid }), { user, model: uuid, access }),
        'test',
      ),
    advance: (ms) => void (now += ms),
    logged,
    setPresent: (machine) =>
      presence.enter(model, machine, { superseded: () => undefined, heardAt: () => now }),
    async [Symbol.asyncDispose]() {
      for (const one of connections) one.end();
      await Promise.allSettled(working);
      services.dispatch.stop();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function fill(store: Store<Entities>): Promise<{ model: string; controllerModel: string }> {
  return store.change((tx) => {
    putUser(tx, 'admin', 'superuser');
    tx.put('cloud', 'home', {
      name: 'home',
      type: 'test',
      authTypes: ['empty', 'userpass'],
      endpoint: '',
      regions: [{ name: 'here' }, { name: 'there' }],
      config: {},
    });
    const args = { owner: 'admin', cloud: 'home', region: 'here', credential: '', config: {} };
    const controllerModel = createModel(tx, { name: 'controller', ...args }).uuid;
    tx.put('controller', 'self', {
      uuid: tx.newUuid(),
      name: 'ctrl',
      cloud: 'home',
      region: 'here',
      modelUuid: controllerModel,
      config: { 'api-port': 17070 },
      createdAt: tx.now,
    });
    return { model: createModel(tx, { name: 'default', ...args }).uuid, controllerModel };
  }, 'test');
}

function putUser(tx: Tx, name: string, access: UserDoc['access']): void {
  tx.put('user', name, {
    name,
    displayName: name,
    passwordHash: '',
    access,
    createdAt: tx.now,
    createdBy: 'admin',
    disabled: false,
  });
}

const unused = (): never => {
  throw new Error('no facade calls this');
};

/** Cloud with the members that facades use. */
const testEnviron: Environ = {
  instances: { start: unused, stop: unused, list: unused, get: unused, controllers: unused },
  containers: { types: ['lxd'] },
  constraints: { unsupported: [], conflicts: [], vocabulary: {} },
  precheck: ({ placement }) =>
    placement === 'zone=nowhere'
      ? Promise.reject(new JujuError('not valid', 'unknown placement directive: zone=nowhere'))
      : Promise.resolve(),
  firewall: { mode: 'none' },
  create: unused,
  destroyModel: unused,
  destroyController: unused,
};

const immutableSettings: AttributeSchema = {
  'test-project': { type: 'string', description: 'Where', default: 'first', immutable: true },
};

const testProvider: Provider = {
  type: 'test',
  description: 'A cloud for tests',
  authTypes: {
    empty: {},
    userpass: {
      username: { type: 'string', description: 'Name' },
      password: { type: 'string', description: 'Password', secret: true },
    },
  },
  controllerOn: 'this host',
  firewallModes: ['instance', 'none'],
  config: {
    'test-size': { type: 'int', description: 'How large', default: 3 },
    'test-token': { type: 'string', description: 'Token', secret: true },
    'test-network': { type: 'string', description: 'The same for all', default: 'own', restricted: true },
    ...immutableSettings,
    'test-bytes': { type: 'int', description: 'Has become test-size' },
  },
  prepareForBootstrap: (config) => Promise.resolve(config),
  prepareForModel: (config) => Promise.resolve({ ...config, 'test-prepared': true }),
  validate: (given, previous) => {
    const config = validateConfig(immutableSettings, given, previous);
    if (config['test-size'] === 13) throw new JujuError('not valid', 'test-size: 13 is not supported');
    const { 'test-bytes': bytes, ...others } = config;
    return bytes === undefined ? config : { ...others, 'test-size': Number(bytes) / 1024 };
  },
  boilerplate: () => '',
  open: () => testEnviron,
};
