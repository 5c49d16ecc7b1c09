/** Model files as a client reads, plans and applies them, on a real controller without a terminal. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { call } from '../../client/calls.ts';
import { uploadCharm } from '../../client/http.ts';
import { uploadResource } from '../../client/resources.ts';
import { noMachineMap } from '../../core/bundle/bundle-model.ts';
import { defined } from '../../core/defined.ts';
import { formatModelFile } from '../../core/model-file/format-model-file.ts';
import { fileOf } from '../../core/model-file/file-of.ts';
import { localResource } from '../../operate/files/local-resources.ts';
import { readModelFile } from '../../operate/files/read-model-file.ts';
import { localCharm } from '../../operate/files/upload-charm.ts';
import { applyModel, type ApplyEvent } from '../../operate/model-file/apply-model.ts';
import { prepareModel, type PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { prepareRevert } from '../../operate/model-file/prepare-revert.ts';
import type { Moment } from '../../operate/model-file/read-past.ts';
import { readLive } from '../../operate/model-file/read-live.ts';
import { openController, openModel, type ModelSession, type OpenController } from '../../operate/sessions.ts';
import type { TestController } from '../controller.ts';
import { testClient, testOperator, type TestOperator } from '../operator.ts';

/** A client in one model. */
export interface FileClient extends AsyncDisposable {
  readonly session: ModelSession;
  readonly operator: TestOperator<ApplyEvent>;
  plan(
    text: string,
    flags?: { readonly prune?: boolean; readonly replace?: readonly string[] },
  ): Promise<PreparedModel>;
  /** Plans a revert. */
  planRevert(
    moment: Moment,
    flags?: { readonly only?: readonly string[]; readonly replace?: readonly string[] },
  ): Promise<PreparedModel>;
  apply(prepared: PreparedModel, parallel?: number): Promise<readonly string[]>;
  /** What the model has, as a model file, and what the file `shop` owns of it. */
  state(): Promise<unknown>;
  /** The newest revision. */
  revision(): Promise<number>;
  /** Ends all connections at once, as a killed client does. */
  kill(): void;
}

/** A folder with charms and files of a test. */
export class FileFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'grigri-model-file-'));

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text, { mode: 0o755 });
  }

  charm(name: string, members: string): void {
    this.write(`${name}/metadata.yaml`, `name: ${name}\nsummary: s\ndescription: d\n${members}`);
    this.write(`${name}/hooks/install`, '#!/bin/sh\n');
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The charms of the files `whole` and `edited`. */
export function shopFolder(): FileFolder {
  const folder = new FileFolder();
  folder.charm('kv', 'provides:\n  db: {interface: kv}\n  other: {interface: kv}\n');
  folder.charm('web', 'requires:\n  db: {interface: kv}\n');
  folder.write('web/config.yaml', 'options: {motto: {type: string}, size: {type: int, default: 1}}\n');
  return folder;
}

const shopPassword = 'x-password';

/** Adds the users of the files `whole` and `edited`. */
export async function addShopUsers(controller: TestController): Promise<void> {
  const connection = await controller.connect();
  const users = ['carl', 'dora'].map((username) => ({
    username,
    'display-name': '',
    password: shopPassword,
  }));
  await call(connection, 'UserManager', 'AddUser', { users });
  await connection.close();
}

/** A file with everything that files may say. */
export const whole = `
name: shop
settings: {update-status-hook-interval: 10m}
constraints: mem=2G
access: {carl: read}
storage-pools: {fast: {provider: loop}}
secrets: {password: {description: of the database, content: {value: {env: PASSWORD}}, grants: [kv]}}
machines: {"0": {}, "1": {constraints: cores=2}}
applications:
  kv:
    charm: ./kv
    num_units: 2
    to: ["0", "lxd:1"]
    constraints: cores=1
    offers: {store: {endpoints: [db], acl: {dora: read}}}
  web:
    charm: ./web
    num_units: 1
    expose: true
    options: {motto: hello, size: 3}
relations: [["web:db", "kv:db"]]
`;
/** The same file after an edit: some of everything is added, changed and no longer named. */
export const edited = `
name: shop
constraints: mem=3G
secrets: {password: {description: of the store}}
machines: {"0": {}}
applications:
  kv: {charm: ./kv, num_units: 1, to: ["0"]}
  web: {charm: ./web, num_units: 2, options: {motto: bye}}
  more: {charm: ./web, num_units: 0}
relations: [["web:db", "kv:other"]]
`;

/**
 * `before` is called for each request of the client to a model or the controller, before it is sent. `user`: one of
 * addShopUsers; absent = the admin.
 */
export async function fileClient(
  controller: TestController,
  folder: FileFolder,
  model: string,
  before: (method: string) => void | Promise<void> = () => undefined,
  user?: string,
): Promise<FileClient> {
  const abort = new AbortController();
  const operator = testOperator<ApplyEvent>({ signal: abort.signal });
  const records = await testClient(controller).records();
  const account = () => Promise.resolve({ user: user!, password: shopPassword });
  const client = testClient(controller, {
    ...(user === undefined ? {} : { records: () => Promise.resolve({ ...records, account }) }),
    async connect(options) {
      const { connect } = await import('../../client/connect.ts');
      const connection = await connect(options);
      opened.push(() => connection.close());
      return {
        ...connection,
        async call(facade, method, params, how) {
          await before(`${facade}.${method}`);
          return connection.call(facade, method, params, how);
        },
      };
    },
  });
  const opened: (() => Promise<void>)[] = [];
  const session = await openModel(client, model);
  const open: OpenController = (name) => openController(client, name);
  const given = { cwd: folder.path, home: folder.path, signal: operator.signal };
  return {
    session,
    operator,
    async plan(text, { prune = false, replace = [] } = {}) {
      folder.write('model.yaml', text);
      const { file, secrets } = await readModelFile({
        given,
        path: join(folder.path, 'model.yaml'),
        overlays: [],
        variables: () => undefined,
        env: { PASSWORD: 'hunter2' },
      });
      return prepareModel(operator, {
        file,
        secrets,
        map: noMachineMap,
        readCharm: (path) => localCharm(path, uploadCharm),
        readResource: (name, declared, value) =>
          localResource({ ...given, uploadResource }, name, declared, value),
        openController: open,
        session,
        force: false,
        prune,
        replace,
      });
    },
    planRevert: (moment, { only, replace = [] } = {}) =>
      prepareRevert(operator, {
        session,
        openController: open,
        moment,
        force: false,
        replace,
        ...defined({ only }),
      }),
    apply: (prepared, parallel = 1) => applyModel(operator, prepared, parallel),
    async state() {
      const { live } = await readLive(
        { session, openController: open },
        'shop',
        Object.keys({ password: 1 }),
      );
      const { owned } = await call(session.connection, 'ModelFiles', 'Owned', { file: 'shop' });
      return {
        file: formatModelFile(fileOf(live, 'shop')),
        secrets: live.secrets,
        owned: owned.map(({ kind, name }) => `${kind} ${name}`).sort(),
      };
    },
    revision: async () => (await call(session.connection, 'ModelFiles', 'Owned', { file: 'shop' })).revision,
    kill() {
      abort.abort();
      for (const close of opened) void close();
    },
    async [Symbol.asyncDispose]() {
      for (const close of opened) await close();
    },
  };
}

/**
 * What the model has, as a model file in which a machine is named by the applications that are placed on it: one that
 * was replaced is alike.
 */
export async function exportedAlike(client: FileClient): Promise<object> {
  const { file } = (await client.state()) as { file: ModelDocument };
  const applications = Object.entries(file.applications ?? {});
  const placed = (id: string): string[] =>
    applications.flatMap(([name, { to = [] }]) => (to.some((place) => numberIn(place) === id) ? [name] : []));
  const alike = (place: string): string => place.replace(/\d+$/, (id) => placed(id).join('+'));
  const machines = Object.entries(file.machines ?? {}).map(([id, machine]) => ({
    ...machine,
    for: placed(id),
  }));
  return {
    ...file,
    machines: machines.map((one) => JSON.stringify(one)).sort(),
    applications: Object.fromEntries(
      applications.map(([name, { to, ...one }]) => [name, { ...one, to: to?.map(alike).sort() }]),
    ),
  };
}
interface ModelDocument {
  readonly machines?: Readonly<Record<string, object>>;
  readonly applications?: Readonly<Record<string, { readonly to?: readonly string[] }>>;
}

function numberIn(place: string): string | undefined {
  return /\d+$/.exec(place)?.[0];
}
