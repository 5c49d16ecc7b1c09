import { expect, test } from 'vitest';
import type { MachineDoc } from '../../core/machine/document.ts';
import { indexes } from '../../core/documents.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { ProviderError, type Environ, type Instance } from '../../providers/contract/provider.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { settle } from '../../testing/steps.ts';
import { isThorough } from '../../testing/thorough.ts';
import { createPresence } from '../server/presence.ts';
import { setStatus, type Tx } from '../transactions/tx.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { InstancePoller } from './instance-poller.ts';

const minute = 60_000;

/** A real store and the real worker; time passes when a test says so, and the cloud is a map. */
interface World extends AsyncDisposable {
  readonly model: ModelFixture;
  readonly cloud: Map<string, Instance>;
  /** Instance ids of each call. */
  readonly calls: string[][];
  fail(error: Error | undefined): void;
  /** Connects the machine's agent; returns a function that disconnects it. */
  connect(id: string): () => void;
  /** Lets the time pass, with every pass that is due in the meantime. */
  run(ms: number): Promise<void>;
  status(id: string): { status: string; message: string } | undefined;
}

async function world(machines: number): Promise<World> {
  const model = await modelFixture();
  const cloud = new Map<string, Instance>();
  const calls: string[][] = [];
  let failure: Error | undefined;
  const presence = createPresence({ now: model.now });
  const dispatch = createDispatch(model.store, indexes);
  const environ = {
    instances: {
      get: (ids: readonly string[]) => {
        calls.push([...ids]);
        return failure ? Promise.reject(failure) : Promise.resolve(ids.map((id) => cloud.get(id)));
      },
    },
  } as unknown as Environ;
  let awake = true;
  const poller = new InstancePoller({
    store: model.store,
    services: {
      clock: { now: model.now, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
      dispatch,
      environ: () => environ,
      log: silentLog,
      nextTurn: systemNextTurn,
      presence,
    },
    modelUuid: model.uuid,
    wake: () => void (awake = true),
  });
  const { signal } = new AbortController();
  let next: number | undefined;
  const look = async (): Promise<void> => {
    awake = false;
    next = await poller.pass(signal);
    if (awake) await look();
  };
  await model.change((tx) => {
    for (let n = 0; n < machines; n++) start(tx, String(n));
  });
  for (let n = 0; n < machines; n++) cloud.set(`i-${n}`, instance(n));
  await look();
  return {
    model,
    cloud,
    calls,
    fail: (error) => void (failure = error),
    connect: (id) =>
      presence.enter(model.uuid, id, { superseded: () => undefined, heardAt: () => model.now() }),
    async run(ms) {
      const end = model.now() + ms;
      // All commits have been dispatched when the look begins.
      if (awake) await look();
      while (next !== undefined && model.now() + next <= end) {
        model.advance(next);
        await look();
      }
      model.advance(end - model.now());
    },
    status: (id) => model.view().get('status', `instance:${id}`),
    async [Symbol.asyncDispose]() {
      poller.stop();
      dispatch.stop();
      await model[Symbol.asyncDispose]();
    },
  };
}

const addressOf = (n: number) => ({ value: `10.0.0.${n}`, type: 'ipv4', scope: 'local-cloud' }) as const;
const instance = (n: number, overrides: Partial<Instance> = {}): Instance => ({
  id: `i-${n}`,
  displayName: '',
  status: 'running',
  message: '',
  addresses: [addressOf(n)],
  tags: {},
  isolation: '',
  ...overrides,
});

function start(tx: Tx, id: string, overrides: Partial<MachineDoc> = {}): void {
  tx.put('machine', id, {
    id,
    life: 'alive',
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: {},
    nonce: `n-${id}`,
    passwordHash: 'h',
    instance: { id: `i-${id}`, displayName: '', hardware: { cores: 1 }, isolation: '' },
    addresses: [],
    hostname: '',
    removeWhenEmpty: false,
    clean: false,
    keepInstance: false,
    isController: false,
    createdAt: tx.now,
    ...overrides,
  });
  setStatus(tx, 'instance', id, 'running', 'Running');
}
const started = (tx: Tx, id: string): void => setStatus(tx, 'machine-agent', id, 'started');

test('facts from the provider are written, and only when they are new', async () => {
  await using fixture = await world(1);
  fixture.cloud.set('i-0', instance(0, { status: 'error', message: 'no power', zone: 'b' }));
  await fixture.run(4_000);
  expect(fixture.model.view().get('machine', '0')).toMatchObject({
    addresses: [addressOf(0)],
    zone: 'b',
    instance: { hardware: { cores: 1, availabilityZone: 'b' } },
  });
  expect(fixture.status('0')).toMatchObject({ status: 'error', message: 'No power' });
  const { revision } = fixture.model.store.read();
  await fixture.run(10 * minute);
  expect(fixture.calls.length).toBeGreaterThan(10);
  expect(fixture.model.store.read().revision, 'nothing new, nothing written').toBe(revision);
});

test("the addresses that units announce follow their machine's address", async () => {
  await using fixture = await world(0);
  await fixture.model.deploy('mysql');
  await fixture.model.change((tx) => start(tx, '0'));
  await settle(fixture.model, 'mysql/0');
  const before = [...fixture.model.view().find('scope', 'unit', 'mysql/0')];
  expect(before, 'it has peers').toHaveLength(1);
  fixture.cloud.set('i-0', { ...instance(7), id: 'i-0' });
  await fixture.run(5_000);
  expect(fixture.model.view().get('settings', `${before[0]!.relation}#mysql/0`)?.values).toMatchObject({
    'ingress-address': '10.0.0.7',
  });
});

/** Number of machines: in `npm test` fewer than a model may have. */
const many = isThorough ? 10_000 : 2_000;

test(`${many} started machines are polled every 15 minutes, many in one call`, async () => {
  await using fixture = await world(many);
  await fixture.model.change((tx) => {
    for (let n = 0; n < many; n++) started(tx, String(n));
  });
  for (let n = 0; n < many; n++) fixture.connect(String(n));
  await fixture.run(4_000);
  fixture.calls.length = 0;
  await fixture.run(15 * minute + 30_000);
  expect(fixture.calls.flat()).toHaveLength(many);
  expect(fixture.calls.length).toBe(many / 500);
}, 30_000);

test('a machine whose agent has gone is polled at once, and again soon after', async () => {
  await using fixture = await world(2);
  await fixture.model.change((tx) => {
    for (const id of ['0', '1']) started(tx, id);
  });
  const [leave] = [fixture.connect('0'), fixture.connect('1')];
  await fixture.run(minute);
  fixture.calls.length = 0;
  leave();
  await fixture.run(0);
  expect(fixture.calls).toEqual([['i-0']]);
  await fixture.run(4_000);
  expect(fixture.calls).toEqual([['i-0'], ['i-0']]);
});

test('a missing instance is lost with a remedy in its message, and is running again when it reappears', async () => {
  await using fixture = await world(1);
  await fixture.model.change((tx) => started(tx, '0'));
  const leave = fixture.connect('0');
  await fixture.run(minute);
  fixture.cloud.delete('i-0');
  await fixture.run(15 * minute);
  expect(fixture.status('0')?.status, 'its agent is there').toBe('running');
  leave();
  await fixture.run(5_000);
  expect(fixture.status('0')).toMatchObject({
    status: 'lost',
    message:
      'the instance no longer exists in the cloud: "reprovision-machine" starts another, "remove-machine --force" removes the machine',
  });
  await fixture.run(30 * minute);
  expect(fixture.model.view().get('machine', '0')?.instance?.id, 'it is only reported').toBe('i-0');
  fixture.cloud.set('i-0', instance(0));
  await fixture.run(minute + 2_000);
  expect(fixture.status('0')).toMatchObject({ status: 'running', message: 'Running' });
  fixture.cloud.delete('i-0');
  await fixture.run(5 * minute);
  expect(fixture.status('0')?.status).toBe('lost');
  fixture.connect('0');
  await fixture.run(0);
  expect(fixture.status('0')?.status, 'its agent connects').toBe('running');
});

test('lost-machines=replace takes effect when it is set', async () => {
  await using fixture = await world(1);
  fixture.cloud.delete('i-0');
  await fixture.run(10 * minute);
  expect(fixture.status('0')?.status).toBe('lost');
  await fixture.model.store.change((tx) => {
    const model = tx.get('model', fixture.model.uuid)!;
    tx.put('model', model.uuid, { ...model, config: { ...model.config, 'lost-machines': 'replace' } });
  }, 'test');
  await fixture.run(0);
  expect(fixture.model.view().get('machine', '0')).not.toHaveProperty('instance');
  expect(fixture.status('0')?.status).toBe('pending');
});

test('a short outage of the cloud loses nothing and replaces nothing', async () => {
  await using fixture = await world(1);
  await fixture.model.store.change((tx) => {
    const model = tx.get('model', fixture.model.uuid)!;
    tx.put('model', model.uuid, { ...model, config: { ...model.config, 'lost-machines': 'replace' } });
  }, 'test');
  await fixture.run(20_000);
  fixture.cloud.delete('i-0');
  await fixture.run(14_000);
  fixture.cloud.set('i-0', instance(0));
  await fixture.run(minute);
  expect(fixture.status('0')?.status).toBe('running');
  fixture.cloud.delete('i-0');
  await fixture.run(minute + 2_000);
  fixture.cloud.set('i-0', instance(0));
  await fixture.run(10 * minute);
  expect(fixture.model.view().get('machine', '0')?.instance?.id).toBe('i-0');
});

test('a provider that fails changes nothing, and is asked again', async () => {
  await using fixture = await world(1);
  fixture.cloud.delete('i-0');
  fixture.fail(new ProviderError('transient', 'no answer'));
  await expect(fixture.run(5_000)).rejects.toThrow('no answer');
  expect(fixture.status('0')?.status).toBe('running');
  fixture.fail(undefined);
  await fixture.run(10_000);
  expect(fixture.status('0')?.status).toBe('lost');
});

test('unmanaged machines, containers and dead machines are not polled', async () => {
  await using fixture = await world(0);
  await fixture.model.change((tx) => {
    const unmanaged = { id: 'i-0', displayName: '', hardware: {}, isolation: '', unmanaged: true };
    start(tx, '0', { instance: unmanaged });
    start(tx, '0/lxd/0', { parent: '0', containerType: 'lxd' });
    start(tx, '1', { life: 'dead', dyingSince: tx.now });
    start(tx, '2');
  });
  await fixture.run(minute);
  expect(new Set(fixture.calls.flat())).toEqual(new Set(['i-2']));
});
