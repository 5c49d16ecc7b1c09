/** A real store in a temporary folder with one model and a few charms, for tests of transactions in a model. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '../controller/transactions/begin/create-model.ts';
import { deployApplication, type DeployArgs } from '../controller/transactions/begin/deploy-application.ts';
import type { Tx, View } from '../controller/transactions/tx.ts';
import { defined } from '../core/defined.ts';
import type { Entities } from '../core/kinds.ts';
import { documents } from '../core/documents.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { upload } from './upload.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

export interface ModelFixture extends AsyncDisposable {
  readonly store: Store<Entities>;
  readonly uuid: string;
  /** The model's newest state. */
  readonly view: () => View;
  change<T>(fn: (tx: Tx) => T): Promise<T>;
  /**
   * Deploys one of the fixture's charms: mysql (provides db, peers cluster), wordpress (requires db), logging
   * (subordinate).
   */
  deploy(charm: 'mysql' | 'wordpress' | 'logging', args?: Partial<DeployArgs>): Promise<void>;
  /** Time that transactions see, in milliseconds since 1970; starts at 2026-01-01. */
  readonly now: () => number;
  advance(ms: number): void;
}

const charms = {
  mysql: { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } },
  wordpress: { requires: { db: 'mysql' } },
  logging: { subordinate: true, requires: { info: { interface: 'juju-info', scope: 'container' } } },
};

/** `revisions`: how many the history keeps; default: the store's own. */
export async function modelFixture({
  revisions,
}: { readonly revisions?: number } = {}): Promise<ModelFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-model-'));
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = openSqliteStore<Entities>({
    path: join(folder, 'store.db'),
    logBytes: 0,
    ...documents,
    ...defined({ retention: revisions === undefined ? undefined : { revisions } }),
    now: () => now,
    newUuid: randomUUID,
  });
  const uuid = await store.change((tx) => {
    tx.put('cloud', 'sim', {
      name: 'sim',
      type: 'simulated',
      authTypes: ['empty'],
      endpoint: '',
      regions: [{ name: 'default' }],
      config: {},
    });
    const args = { owner: 'admin', cloud: 'sim', region: 'default', credential: '', config: {} };
    const controller = createModel(tx, { name: 'controller', ...args });
    tx.put('controller', 'self', {
      uuid: randomUUID(),
      name: 'test',
      cloud: 'sim',
      region: 'default',
      modelUuid: controller.uuid,
      config: {},
      createdAt: tx.now,
    });
    const model = createModel(tx, { name: 'default', ...args });
    const space = tx.in(model.uuid);
    for (const [name, meta] of Object.entries(charms)) upload(space, name, meta);
    return model.uuid;
  }, 'test');
  const change = <T>(fn: (tx: Tx) => T): Promise<T> => store.change((tx) => fn(tx.in(uuid)), 'test');
  return {
    store,
    uuid,
    view: () => store.read().in(uuid),
    change,
    deploy: async (charm, args = {}) => {
      await change((tx) =>
        deployApplication(tx, {
          name: charm,
          charmUrl: `local:${charm}-0`,
          charmOrigin: { source: 'local' },
          base,
          numUnits: charm === 'logging' ? 0 : 1,
          constraints: {},
          placement: [],
          config: {},
          trust: false,
          endpointBindings: {},
          ...args,
        }),
      );
    },
    now: () => now,
    advance: (ms) => void (now += ms),
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
