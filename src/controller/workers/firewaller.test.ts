import { expect, test } from 'vitest';
import { createDispatch } from '../watchers/dispatch.ts';
import { indexes } from '../../core/documents.ts';
import { firstRules, type Environ, type PortRule } from '../../providers/contract/provider.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { offerDoc, useOf } from '../../testing/offers.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import type { Services } from '../services.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { expose } from '../transactions/set/expose.ts';
import { setWorkloadVersion } from '../transactions/agent/unit-agent.ts';
import { Firewaller } from './firewaller.ts';
import { eventually } from '../../testing/eventually.ts';

/**
 * A firewaller over a model of `units` mysql units with an open port each, which lets in nobody by SSH, and the
 * instances' firewalls, or the global firewall, which is called `all`.
 */
async function bench(units: number, mode: 'instance' | 'global' = 'instance') {
  const model: ModelFixture = await modelFixture();
  await model.deploy('mysql', { numUnits: units });
  await model.change((tx) => {
    for (const machine of tx.list('machine'))
      tx.put('machine', machine.id, {
        ...machine,
        instance: { id: `i-${machine.id}`, displayName: '', hardware: {}, isolation: '' },
      });
    for (const unit of tx.list('unit')) tx.put('unit', unit.name, { ...unit, ports: { '': ['80/tcp'] } });
  });
  await configure(model, { 'ssh-allow': '' });
  const rules = new Map<string, readonly PortRule[]>();
  const world = {
    model,
    rules,
    /** Instances whose firewall refuses changes. */
    broken: new Set<string>(),
    /** Instances whose firewall never answers. */
    hanging: new Set<string>(),
    clock: new ManualClock(),
    during: (): Promise<unknown> => Promise.resolve(),
    woken: 0,
    asked: 0,
    /** Number of machines whose units were looked at. */
    looked: 0,
  };
  const dispatch = createDispatch(model.store, indexes);
  const set = async (id: string, newRules: readonly PortRule[], signal: AbortSignal): Promise<void> => {
    world.asked++;
    if (world.hanging.has(id))
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    if (world.broken.has(id)) throw new Error(`no firewall for ${id}`);
    await world.during();
    rules.set(id, newRules);
  };
  const firewall: Environ['firewall'] =
    mode === 'instance'
      ? { mode, set, rules: (id) => Promise.resolve(rules.get(id) ?? firstRules) }
      : {
          mode,
          set: (wanted, signal) => set('all', wanted, signal),
          rules: () => Promise.resolve(rules.get('all') ?? firstRules),
        };
  const firewaller = new Firewaller({
    store: watched(model.store, () => world.looked++),
    // Services that a firewaller uses.
    services: {
      clock: world.clock,
      dispatch,
      environ: () => ({ firewall }),
      log: silentLog,
      nextTurn: systemNextTurn,
      random: () => 0.5,
    } as unknown as Services,
    modelUuid: model.uuid,
    wake: () => void world.woken++,
  });
  const pass = (): Promise<number | undefined> => firewaller.pass(new AbortController().signal);
  return {
    ...world,
    world,
    pass,
    expose: () => model.change((tx) => expose(tx, { application: 'mysql', endpoints: {} })),
  };
}

/** A store whose readers report when they look for a machine's units. */
function watched(store: ModelFixture['store'], onLook: () => void): ModelFixture['store'] {
  const view = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]): unknown => {
          if (key === 'find' && args[0] === 'unit' && args[1] === 'machine') onLook();
          const result: unknown = value.apply(object, args);
          return key === 'read' || key === 'in' ? view(result as object) : result;
        };
      },
    });
  return view(store);
}

test('a firewall that refuses does not delay other machines, and is tried again', async () => {
  const { world, pass, expose, model } = await bench(3);
  await using _ = model;
  await expose();
  world.broken.add('i-0');
  // The refusal is no failure of the worker, whose failures would delay changes that come in the meantime.
  expect(await pass()).toBe(500);
  expect(await pass()).toBe(1000);
  expect([...world.rules].map(([id, rules]) => [id, rules.length])).toEqual([
    ['i-1', 1],
    ['i-2', 1],
  ]);
  world.broken.clear();
  expect(await pass()).toBeUndefined();
  expect(world.rules.get('i-0')).toHaveLength(1);
});

test.for(['instance', 'global'] as const)(
  'a firewall that never answers (%s) is given up after a while',
  async (mode) => {
    const { world, pass, expose, model } = await bench(2, mode);
    await using _ = model;
    await expose();
    world.hanging.add(mode === 'global' ? 'all' : 'i-0');
    const passed = pass();
    await eventually(() => expect(world.asked).toBe(1));
    world.clock.advance(mode === 'global' ? 900_000 : 60_000);
    expect(await passed).toBe(500);
    expect([...world.rules.keys()]).toEqual(mode === 'global' ? [] : ['i-1']);
    world.hanging.clear();
    expect(await pass()).toBeUndefined();
    expect(world.rules.get(mode === 'global' ? 'all' : 'i-0')).toHaveLength(1);
  },
);

test('a change during the update of a firewall is applied in the next pass', async () => {
  const { world, pass, expose, model } = await bench(1);
  await using _ = model;
  world.during = expose;
  await pass();
  expect(world.rules.get('i-0')).toEqual([]);
  expect(world.woken).toBeGreaterThan(0);
  await pass();
  expect(world.rules.get('i-0')).toHaveLength(1);
});

test('status changes of units cause no look at all machines of the application', async () => {
  const { world, pass, model } = await bench(3);
  await using _ = model;
  await pass();
  world.woken = 0;
  await model.change((tx) =>
    tx.put('application', 'mysql', { ...tx.get('application', 'mysql')!, workloadVersion: '8.0' }),
  );
  expect(world.woken).toBe(0);
  await model.change((tx) => setWorkloadVersion(tx, { unit: 'mysql/1', version: '8.1' }));
  const before = world.asked;
  await pass();
  expect(world.asked).toBe(before);
});

test('ports open in a container are opened at its host, and a container’s own firewall is never asked for', async () => {
  const { world, pass, expose, model } = await bench(1);
  await using _ = model;
  await model.change((tx) => {
    const placement = [{ scope: 'lxd', directive: '0' }];
    addUnits(tx, { application: 'mysql', count: 1, placement, containerTypes: ['lxd'] });
    const instance = { id: 'i-box', displayName: '', hardware: {}, isolation: '' };
    const addresses = [
      { value: '10.1.2.3', type: 'ipv4', scope: 'local-cloud' },
      { value: '172.17.0.1', type: 'ipv4', scope: 'local-cloud', origin: 'machine' },
    ] as const;
    tx.put('machine', '0/lxd/0', { ...tx.get('machine', '0/lxd/0')!, instance, addresses });
  });
  await expose();
  await pass();
  expect([...world.rules.keys()]).toEqual(['i-0']);
  await model.change((tx) =>
    tx.put('unit', 'mysql/1', { ...tx.get('unit', 'mysql/1')!, ports: { '': ['443/tcp'] } }),
  );
  await pass();
  expect(world.rules.get('i-0')).toEqual([
    { fromPort: 443, toPort: 443, protocol: 'tcp', sourceCidrs: [], to: '10.1.2.3' },
    { fromPort: 80, toPort: 80, protocol: 'tcp', sourceCidrs: [] },
  ]);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/1', force: { maxWaitMs: 0, by: 'test' } }));
  await pass();
  expect(world.rules.get('i-0')?.map(({ fromPort }) => fromPort)).toEqual([80]);
});

test("a controller's instance lets clients and agents in", async () => {
  const { model, pass, rules } = await bench(2);
  await using _ = model;
  await model.change((tx) => {
    const root = tx.in('');
    const controller = root.get('controller', 'self')!;
    root.put('controller', 'self', { ...controller, config: { 'api-port': 17070 } });
    for (const id of ['0', '1'])
      tx.put('machine', id, { ...tx.get('machine', id)!, isController: id === '0' });
  });
  await pass();
  expect(rules.get('i-0')).toEqual([{ fromPort: 17070, toPort: 17070, protocol: 'tcp', sourceCidrs: [] }]);
  expect(rules.get('i-1')).toEqual([]);
});

test('the global firewall has the rules that any machine wants, each once', async () => {
  const { world, pass, expose, model } = await bench(3, 'global');
  await using _ = model;
  expect(await pass()).toBeUndefined();
  expect(world.rules.get('all')).toEqual([]);
  await expose();
  await pass();
  expect(world.rules.get('all')).toEqual([port(80)]);
  await open(model, 'mysql/1', '443/tcp');
  await pass();
  expect(world.rules.get('all')).toEqual([port(80), port(443)]);
  // Other machines still want 80, and none wants 443.
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/1', force: { maxWaitMs: 0, by: 'test' } }));
  await pass();
  expect(world.rules.get('all')).toEqual([port(80)]);
  const before = world.asked;
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 0, by: 'test' } }));
  await pass();
  expect(world.asked).toBe(before);
});

test('a change with the global firewall looks at what changed, not at every machine', async () => {
  const { world, pass, expose, model } = await bench(250, 'global');
  await using _ = model;
  await expose();
  await pass();
  expect(world.looked).toBeGreaterThanOrEqual(250);
  world.looked = 0;
  await open(model, 'mysql/7', '443/tcp');
  await pass();
  expect(world.looked).toBe(1);
  expect(world.rules.get('all')).toEqual([port(80), port(443)]);
});

test('the global firewall is corrected at first, and then set only when it is wrong', async () => {
  const found = await bench(1, 'global');
  await using _ = found.model;
  found.world.rules.set('all', [port(22222)]);
  await found.pass();
  expect(found.world.rules.get('all')).toEqual([]);

  const { world, pass, expose, model } = await bench(2, 'global');
  await using __ = model;
  world.rules.set('all', [port(80)]);
  await expose();
  await pass();
  expect(world.asked).toBe(0);

  const first = await bench(2, 'global');
  await using ___ = first.model;
  await configure(first.model, { 'ssh-allow': undefined });
  await first.pass();
  expect(first.world.asked).toBe(0);
});

test('a global firewall that refuses is tried again until it has the newest rules', async () => {
  const { world, pass, expose, model } = await bench(2, 'global');
  await using _ = model;
  await pass();
  await expose();
  world.broken.add('all');
  expect(await pass()).toBe(500);
  await open(model, 'mysql/0', '443/tcp');
  expect(await pass()).toBe(1000);
  world.broken.clear();
  expect(await pass()).toBeUndefined();
  expect(world.rules.get('all')).toEqual([port(80), port(443)]);
});

test('an application that is exposed to a space lets in its subnets, as they are now', async () => {
  const { world, pass, model } = await bench(2);
  await using _ = model;
  const put = (cidr: string, space: string) =>
    model.change((tx) => tx.put('subnet', cidr, { id: cidr, cidr, space, zones: [] }));
  await put('10.0.8.0/24', 'db');
  await model.change((tx) => {
    tx.put('space', 'db', { id: '1', name: 'db', createdAt: '' });
    expose(tx, { application: 'mysql', endpoints: { '': { cidrs: ['192.0.2.0/24'], spaces: ['db'] } } });
  });
  await pass();
  expect(world.rules.get('i-0')).toEqual([{ ...port(80), sourceCidrs: ['10.0.8.0/24', '192.0.2.0/24'] }]);
  await put('10.0.9.0/24', 'db');
  await put('10.0.8.0/24', 'alpha');
  await pass();
  expect(world.rules.get('i-1')).toEqual([{ ...port(80), sourceCidrs: ['10.0.9.0/24', '192.0.2.0/24'] }]);
  const asked = world.asked;
  await put('10.0.7.0/24', 'alpha');
  await pass();
  expect(world.asked).toBe(asked);
});

test.for(['instance', 'global'] as const)(
  'SSH is let in as ssh-allow says, whenever it changes, on machines and their containers (%s)',
  async (mode) => {
    const { world, pass, model } = await bench(2, mode);
    await using _ = model;
    await model.change((tx) => {
      const placement = [{ scope: 'lxd', directive: '0' }];
      addUnits(tx, { application: 'mysql', count: 1, placement, containerTypes: ['lxd'] });
      const addresses = [{ value: '10.1.2.3', type: 'ipv4', scope: 'local-cloud' }] as const;
      tx.put('machine', '0/lxd/0', { ...tx.get('machine', '0/lxd/0')!, addresses });
    });
    const names = mode === 'global' ? ['all'] : ['i-0', 'i-1'];
    const seen = (): unknown => names.map((name) => world.rules.get(name));
    const wanted = (rule: PortRule): PortRule[][] =>
      names.map((name) => (name === 'i-1' ? [rule] : [{ ...rule, toContainers: true }, rule]));
    const nobody = names.map(() => []);
    await pass();
    expect(seen()).toEqual(nobody);
    await configure(model, { 'ssh-allow': undefined });
    expect(world.woken).toBeGreaterThan(0);
    await pass();
    expect(seen()).toEqual(wanted(port(22)));
    await configure(model, { 'ssh-allow': '192.0.2.0/24,2001:db8::/32' });
    await pass();
    expect(seen()).toEqual(wanted({ ...port(22), sourceCidrs: ['192.0.2.0/24', '2001:db8::/32'] }));
    await configure(model, { 'ssh-allow': '' });
    await pass();
    expect(seen()).toEqual(nobody);
  },
);

test('the global firewall is set once for SSH to the containers of a model, however many there are', async () => {
  const { world, pass, model } = await bench(4, 'global');
  await using _ = model;
  await configure(model, { 'ssh-allow': '192.0.2.0/24' });
  await pass();
  const { asked } = world;
  for (let n = 0; n < 40; n++) {
    await model.change((tx) => {
      const host = String(n % 4);
      const placement = [{ scope: 'lxd', directive: host }];
      addUnits(tx, { application: 'mysql', count: 1, placement, containerTypes: ['lxd'] });
      for (const container of tx.find('machine', 'parent', host)) {
        if (container.addresses.length > 0) continue;
        const addresses = [{ value: `10.1.2.${n}`, type: 'ipv4', scope: 'local-cloud' }] as const;
        tx.put('machine', container.id, { ...container, addresses });
      }
    });
    await pass();
  }
  expect(world.asked - asked).toBe(1);
  expect(world.rules.get('all')).toHaveLength(2);
});

async function configure(model: ModelFixture, config: object): Promise<void> {
  await model.change((tx) => {
    const doc = tx.in('').get('model', model.uuid)!;
    tx.in('').put('model', model.uuid, { ...doc, config: { ...doc.config, ...config } });
  });
}

function port(number: number): PortRule {
  return { fromPort: number, toPort: number, protocol: 'tcp', sourceCidrs: [] };
}

function open(model: ModelFixture, unit: string, range: string): Promise<unknown> {
  return model.change((tx) => {
    const doc = tx.get('unit', unit)!;
    tx.put('unit', unit, { ...doc, ports: { '': [...(doc.ports[''] ?? []), range] } });
  });
}

test('consumers of an offer are let in as far as saas-ingress-allow says, whenever it changes', async () => {
  const { world, pass, model } = await bench(1);
  await using _ = model;
  const allow = (config: object): Promise<void> => configure(model, config);
  const from = (): unknown => world.rules.get('i-0')?.map(({ sourceCidrs }) => sourceCidrs);
  const offer = offerDoc('db', 'mysql');
  const { proxy, relation } = useOf(offer, 7);
  await model.change((tx) => {
    tx.put('offer', 'db', offer);
    tx.put('remote-application', proxy.name, proxy);
    const remote = relation.remote!;
    const offered = { ...remote.offered!, ingress: ['10.0.0.0/8', '192.168.1.1/32'] };
    tx.put('relation', '7', { ...relation, remote: { ...remote, offered } });
  });
  await pass();
  expect(from()).toEqual([['10.0.0.0/8', '192.168.1.1/32']]);
  for (const [setting, sources] of [
    ['10.1.0.0/16,192.168.0.0/16', [['10.1.0.0/16', '192.168.1.1/32']]],
    ['172.16.0.0/12', []],
    ['', []],
    ['0.0.0.0/0,::/0', [['10.0.0.0/8', '192.168.1.1/32']]],
  ] as const) {
    const { woken } = world;
    await allow({ 'saas-ingress-allow': setting });
    expect(world.woken).toBeGreaterThan(woken);
    await pass();
    expect(from()).toEqual(sources);
  }
});
