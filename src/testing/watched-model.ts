/** Model in a store, and an AllWatcher of it, for tests of the news that clients get. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { createPresence, type AgentPresence } from '../controller/server/presence.ts';
import { AllWatcher } from '../controller/watchers/all-watcher.ts';
import type { ApplicationDoc } from '../core/application/document.ts';
import { indexes } from '../core/documents.ts';
import type { Entities } from '../core/kinds.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import { systemClock } from '../kit/clock.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store, Transactor } from '../store/store.ts';
import { allWatcher as allWatcherSpec, type Delta } from '../wire/facades/all-watcher.ts';
import { testModel } from './api-server.ts';

let folder: string;
export let store: Store<Entities>;
export let presence: AgentPresence;
export let watcher: AllWatcher;
export const base = { name: 'ubuntu', channel: '24.04/stable' };
export const createdAt = '2026-01-01T00:00:00.000Z';

/** Declares that each test of the file has a model without entities, and a watcher of it. */
export function prepareWatchedModel(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grigri-watcher-'));
    store = openSqliteStore<Entities>({
      path: join(folder, 's.db'),
      logBytes: 0,
      indexes,
      now: Date.now,
      newUuid: randomUUID,
    });
    presence = createPresence(systemClock);
    await store.change(
      (tx) =>
        tx.put('model', testModel, {
          uuid: testModel,
          name: 'test',
          owner: 'admin',
          life: 'alive',
          cloud: '',
          region: 'here',
          credential: '',
          config: {},
          constraints: {},
          createdAt,
        }),
      'test',
    );
    watcher = new AllWatcher(store, testModel, { presence, providers: new Map(), version: '3.6.28' });
  });
  afterEach(async () => {
    watcher.stop();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
}

export const change = (fn: (tx: Transactor<Entities>) => void): Promise<void> =>
  store.change((tx) => fn(tx.in(testModel)), 'test');
export const application = (name: string, overrides: Partial<ApplicationDoc> = {}): ApplicationDoc => ({
  name,
  life: 'alive',
  charmUrl: `local:${name}-0`,
  charmOrigin: {},
  base,
  subordinate: false,
  constraints: {},
  config: {},
  trust: false,
  endpointBindings: {},
  workloadVersion: '',
  createdAt,
  ...overrides,
});
export const unit = (name: string, overrides: Partial<UnitDoc> = {}): UnitDoc => ({
  name,
  application: name.split('/')[0]!,
  life: 'alive',
  charmUrl: 'local:x-0',
  base,
  constraints: {},
  resolved: '',
  ports: {},
  workloadVersion: '',
  deployed: false,
  createdAt,
  ...overrides,
});
/** Returns the next answer, checked against the schema in wire/. */
export async function next(from = watcher): Promise<readonly Delta[]> {
  const answer = await from.next();
  return allWatcherSpec.methods.Next.result.parse(JSON.parse(JSON.stringify(answer))).deltas;
}
export const short = (deltas: readonly Delta[]): string[] =>
  deltas.map(
    ([kind, what, body]) =>
      `${kind} ${what} ${String(body['name'] ?? body['id'] ?? body['charm-url'] ?? body['tag'])}`,
  );
