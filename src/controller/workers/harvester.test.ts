import { expect, test } from 'vitest';
import type { MachineDoc } from '../../core/machine/document.ts';
import { indexes } from '../../core/documents.ts';
import { silentLog } from '../../kit/log.ts';
import { ProviderError, tagKeys, type Environ, type Instance } from '../../providers/contract/provider.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { Harvester } from './harvester.ts';

const minute = 60_000;

/** A real store and the real worker; time passes when a test says so, and the cloud is a map. */
interface World extends AsyncDisposable {
  readonly model: ModelFixture;
  readonly cloud: Map<string, Instance>;
  /** Number of times that the cloud was asked for all instances. */
  lists(): number;
  /** Instances that cannot be stopped. */
  readonly stuck: Set<string>;
  configure(config: Record<string, unknown>): Promise<void>;
  /** Lets the time pass, with every pass that is due in the meantime. */
  run(ms: number): Promise<void>;
  strays(): string[];
}

async function world(): Promise<World> {
  const model = await modelFixture();
  const cloud = new Map<string, Instance>();
  const stuck = new Set<string>();
  const dispatch = createDispatch(model.store, indexes);
  let lists = 0;
  const environ = {
    instances: {
      list: () => {
        lists++;
        return Promise.resolve([...cloud.values()]);
      },
      stop: (ids: readonly string[]) => {
        if (ids.some((id) => stuck.has(id)))
          return Promise.reject(new ProviderError('transient', 'cannot stop'));
        for (const id of ids) cloud.delete(id);
        return Promise.resolve();
      },
    },
  } as unknown as Environ;
  let awake = true;
  const harvester = new Harvester({
    store: model.store,
    services: {
      clock: { now: model.now, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
      dispatch,
      environ: () => environ,
      log: silentLog,
    },
    modelUuid: model.uuid,
    wake: () => void (awake = true),
  });
  const { signal } = new AbortController();
  let next: number | undefined;
  const look = async (): Promise<void> => {
    awake = false;
    next = await harvester.pass(signal);
    if (awake) await look();
  };
  return {
    model,
    cloud,
    stuck,
    lists: () => lists,
    configure: (config) =>
      model.store.change((tx) => {
        const doc = tx.get('model', model.uuid)!;
        tx.put('model', model.uuid, { ...doc, config: { ...doc.config, ...config } });
      }, 'test'),
    async run(ms) {
      const end = model.now() + ms;
      if (awake) await look();
      while (next !== undefined && model.now() + next <= end) {
        model.advance(next);
        await look();
      }
      model.advance(end - model.now());
    },
    strays: () => [...model.view().list('stray')].map(({ instanceId }) => instanceId),
    async [Symbol.asyncDispose]() {
      harvester.stop();
      dispatch.stop();
      await model[Symbol.asyncDispose]();
    },
  };
}

function instance(id: string, machine: string, nonce: string): Instance {
  return {
    id,
    displayName: '',
    status: 'running',
    message: '',
    addresses: [],
    tags: { [tagKeys.machine]: machine, [tagKeys.nonce]: nonce },
    isolation: '',
  };
}

const record = (id: string, overrides: Partial<MachineDoc> = {}): MachineDoc => ({
  id,
  life: 'alive',
  base: { name: 'ubuntu', channel: '24.04/stable' },
  constraints: {},
  nonce: `n-${id}`,
  addresses: [],
  hostname: '',
  removeWhenEmpty: false,
  clean: false,
  keepInstance: false,
  isController: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...overrides,
});
const runs = (id: string): Pick<MachineDoc, 'instance'> => ({
  instance: { id, displayName: '', hardware: {}, isolation: '' },
});

test('an instance without a record is reported, and goes on running', async () => {
  await using fixture = await world();
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', runs('i-0'))));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  await fixture.run(15_000);
  expect(fixture.strays(), 'once is not enough').toEqual([]);
  await fixture.run(10_000);
  expect([...fixture.model.view().list('stray')]).toEqual([
    { instanceId: 'i-7', machine: '7', since: '2026-01-01T00:00:10.000Z' },
  ]);
  await fixture.run(60 * minute);
  expect(fixture.strays()).toEqual(['i-7']);
  expect(fixture.cloud.size).toBe(2);
});

test('a stray that disappeared is no longer reported', async () => {
  await using fixture = await world();
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  await fixture.run(minute);
  expect(fixture.strays()).toEqual(['i-7']);
  fixture.cloud.delete('i-7');
  await fixture.run(16 * minute);
  expect(fixture.strays()).toEqual([]);
});

test('the harvest mode takes effect when it is set', async () => {
  await using fixture = await world();
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  await fixture.run(5 * minute);
  expect(fixture.cloud.size).toBe(1);
  await fixture.configure({ 'provisioner-harvest-mode': 'all' });
  await fixture.run(0);
  expect(fixture.cloud.size).toBe(0);
  expect(fixture.strays()).toEqual([]);
  const said = fixture.model.store.past({
    documents: [{ space: fixture.model.uuid, kind: 'stray', id: 'i-7' }],
  });
  expect([...said], 'found, to be stopped, gone').toHaveLength(3);
});

test('an instance whose start is in progress is never taken, however long that takes', async () => {
  await using fixture = await world();
  await fixture.configure({ 'provisioner-harvest-mode': 'all' });
  await fixture.model.change((tx) => tx.put('machine', '0', record('0')));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  await fixture.run(60 * minute);
  expect(fixture.cloud.size).toBe(1);
  expect(fixture.strays()).toEqual([]);
});

test('an instance that is kept is no stray', async () => {
  await using fixture = await world();
  await fixture.configure({ 'provisioner-harvest-mode': 'all' });
  await fixture.model.store.change((tx) => {
    tx.put('model', fixture.model.uuid, { ...tx.get('model', fixture.model.uuid)!, keptInstances: ['i-7'] });
  }, 'test');
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  await fixture.run(60 * minute);
  expect(fixture.cloud.size).toBe(1);
  expect(fixture.strays()).toEqual([]);
});

test('a machine that is removed without its instance leaves a stray behind', async () => {
  await using fixture = await world();
  await fixture.configure({ 'provisioner-harvest-mode': 'none' });
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', runs('i-0'))));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  await fixture.run(minute);
  const before = fixture.lists();
  await fixture.model.change((tx) => tx.remove('machine', '0'));
  await fixture.run(25_000);
  expect(fixture.lists() - before).toBe(2);
  expect(fixture.strays()).toEqual(['i-0']);
});

test('an instance that comes back after its machine got another is stopped', async () => {
  await using fixture = await world();
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', runs('i-0'))));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  await fixture.run(minute);
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', { nonce: 'm', ...runs('i-1') })));
  fixture.cloud.set('i-1', instance('i-1', '0', 'm'));
  await fixture.run(15_000);
  expect([...fixture.cloud.keys()]).toEqual(['i-1']);
  expect(fixture.strays()).toEqual([]);
});

test('an instance that comes back is not stopped before its machine has another, which a cloud may give the same id', async () => {
  await using fixture = await world();
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', runs('i-0'))));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  await fixture.run(minute);
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', { nonce: 'm' })));
  await fixture.run(60 * minute);
  expect([...fixture.cloud.keys()]).toEqual(['i-0']);
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', { nonce: 'm', ...runs('i-1') })));
  await fixture.run(15_000);
  expect([...fixture.cloud.keys()]).toEqual([]);
});

test('an instance of a restored model is reported, and stopped only when the restore is accepted', async () => {
  await using fixture = await world();
  await fixture.configure({ 'provisioner-harvest-mode': 'all' });
  const restored = async (state: 'held' | 'keep'): Promise<unknown> =>
    fixture.model.store.change((tx) => {
      const doc = tx.get('model', fixture.model.uuid)!;
      tx.put('model', fixture.model.uuid, { ...doc, restored: { id: 'r', backup: '', at: '', state } });
    }, 'test');
  await restored('held');
  await fixture.model.change((tx) => tx.put('machine', '0', record('0', runs('i-0'))));
  fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
  fixture.cloud.set('i-9', instance('i-9', '0', 'newer'));
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  await fixture.run(60 * minute);
  expect([...fixture.cloud.keys()]).toEqual(['i-0', 'i-9', 'i-7']);
  expect(fixture.strays().sort()).toEqual(['i-7', 'i-9']);
  const model = fixture.model.store.read().in('').get('model', fixture.model.uuid);
  expect(model?.restored?.listed).toBe(true);
  await restored('keep');
  await fixture.run(minute);
  expect([...fixture.cloud.keys()]).toEqual(['i-0']);
});

test.each([
  ['stopped', 'destroyed', ['i-0', 'i-9']],
  ['left where the mode is none', 'none', ['i-0', 'i-9', 'i-8']],
])(
  'an instance that the machine of a restored model gave up is %s while the model waits',
  async (_, mode, left) => {
    await using fixture = await world();
    await fixture.configure({ 'provisioner-harvest-mode': mode });
    await fixture.model.store.change((tx) => {
      const doc = tx.get('model', fixture.model.uuid)!;
      const restored = { id: 'r', backup: '', at: '', state: 'held' } as const;
      tx.put('model', fixture.model.uuid, { ...doc, restored });
    }, 'test');
    await fixture.model.change((tx) =>
      tx.put('machine', '0', record('0', { ...runs('i-0'), givenUp: ['old'] })),
    );
    fixture.cloud.set('i-0', instance('i-0', '0', 'n-0'));
    fixture.cloud.set('i-9', instance('i-9', '0', 'newer'));
    fixture.cloud.set('i-8', instance('i-8', '0', 'old'));
    await fixture.run(minute);
    expect([...fixture.cloud.keys()]).toEqual(left);
    expect(fixture.strays()).toEqual(left.slice(1));
  },
);

test('an instance that cannot be stopped does not delay others', async () => {
  await using fixture = await world();
  await fixture.configure({ 'provisioner-harvest-mode': 'unknown' });
  fixture.cloud.set('i-7', instance('i-7', '7', 'n-7'));
  fixture.cloud.set('i-8', instance('i-8', '8', 'n-8'));
  fixture.stuck.add('i-7');
  await expect(fixture.run(minute)).rejects.toThrow('cannot stop');
  expect([...fixture.cloud.keys()]).toEqual(['i-7']);
  expect(fixture.strays()).toEqual(['i-7']);
  expect(fixture.model.view().get('stray', 'i-7')?.stopping).toBe(true);
  fixture.stuck.clear();
  await fixture.run(minute);
  expect(fixture.cloud.size).toBe(0);
});
