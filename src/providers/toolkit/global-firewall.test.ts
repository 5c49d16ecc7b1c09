import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createProviderWorld, type Opened, type ProviderWorld } from '../conformance/index.ts';
import { withFirewallMode } from './global-firewall.ts';
import { firstRules, ProviderError, type PortRule, type Provider } from '../contract/provider.ts';
import { SimulatedCloud, createSimulatedProvider } from '../clouds/simulated/index.ts';
import { eventually } from '../../testing/eventually.ts';

const { signal: never } = new AbortController();
const rule = (port: number): PortRule => ({
  fromPort: port,
  toPort: port,
  protocol: 'tcp',
  sourceCidrs: [],
});

let world: ProviderWorld;
let cloud: SimulatedCloud;
let provider: Provider;
let environ: Opened;
beforeEach(() => {
  world = createProviderWorld();
  cloud = new SimulatedCloud();
  provider = createSimulatedProvider(cloud);
  environ = world.open(provider, { firewallMode: 'global' });
});
afterEach(() => world.end(provider));

/** Returns the open ports of each instance. */
function open(): number[][] {
  return cloud.instances().map(({ rules }) => rules.map(({ fromPort }) => fromPort));
}

function firewallOf({ firewall }: Opened) {
  if (firewall.mode !== 'global') throw new Error(`not global: ${firewall.mode}`);
  return firewall;
}

const fault = (): ProviderError => new ProviderError('transient', 'the cloud stumbles');

test('Every instance of the model has all rules, and instances of other models have none', async () => {
  const other = world.open(provider);
  await other.instances.start(world.startParams('0'), never);
  await environ.instances.start(world.startParams('1'), never);
  await environ.instances.start(world.startParams('2'), never);
  await firewallOf(environ).set([rule(80), rule(443)], never);
  expect(open()).toEqual([[22], [80, 443], [80, 443]]);
});

test('A new instance has the rules when its start resolves, also in a group start', async () => {
  await firewallOf(environ).set([rule(80)], never);
  await environ.instances.start(world.startParams('0'), never);
  const group = ['1', '2'].map((id) => world.startParams(id));
  await environ.startGroup?.start(group, never);
  expect(open()).toEqual([[80], [80], [80]]);
});

test('A model in which nothing shall be open knows that port 22 is, and new instances of it are closed', async () => {
  expect(await firewallOf(environ).rules(never)).toEqual(firstRules);
  await firewallOf(environ).set([], never);
  expect(await firewallOf(environ).rules(never)).toEqual([]);
  await environ.instances.start(world.startParams('0'), never);
  await environ.startGroup?.start([world.startParams('1')], never);
  expect(open()).toEqual([[], []]);
});

test('An instance that has the wanted rules from its start is not asked to set them', async () => {
  await firewallOf(environ).set(firstRules, never);
  cloud.inject({ operation: 'firewall', when: 'before', error: fault() });
  await environ.instances.start(world.startParams('0'), never);
  expect(open()).toEqual([[22]]);
});

test('A partially applied rule set is completed by the next caller', async () => {
  for (const id of ['0', '1']) await environ.instances.start(world.startParams(id), never);
  cloud.inject({ operation: 'firewall', when: 'before', error: fault() });
  await expect(firewallOf(environ).set([rule(80)], never)).rejects.toMatchObject({
    class: 'transient',
    message: 'the open ports of 1 of 2 instances could not be set: the cloud stumbles',
  });
  expect(open().toSorted(([a], [b]) => a! - b!)).toEqual([[22], [80]]);
  // The second environment stands for another controller's process.
  const again = world.open(provider, { modelUuid: environ.modelUuid, firewallMode: 'global' });
  expect(await firewallOf(again).rules(never)).toEqual([rule(80)]);
  expect(open()).toEqual([[80], [80]]);
});

test('An instance that never answers blocks neither other instances nor new ones', async () => {
  for (const id of ['0', '1']) await environ.instances.start(world.startParams(id), never);
  const [hanging] = await environ.instances.list(never);
  const clock = new ManualClock();
  const params = world.openParams(provider, { modelUuid: environ.modelUuid, clock });
  const one = provider.open(params);
  const each = one.firewall;
  if (each.mode !== 'instance') throw new Error('the simulated cloud has one for each');
  const calls = { asked: 0, answered: 0 };
  const set: typeof each.set = async (id, rules, signal) => {
    calls.asked++;
    if (id === hanging?.id)
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    await each.set(id, rules, signal);
    calls.answered++;
  };
  const all = withFirewallMode({ ...one, firewall: { ...each, set } }, { ...params, firewallMode: 'global' });
  if (all.firewall.mode !== 'global') throw new Error('not global');
  const setting = all.firewall.set([rule(80)], never).catch((error: unknown) => error);
  await eventually(() => expect(calls).toEqual({ asked: 2, answered: 1 }));
  clock.advance(60_000);
  expect(await setting).toMatchObject({
    class: 'transient',
    message: expect.stringMatching(/^the open ports of 1 of 2 instances could not be set: /) as string,
  });
  await all.instances.start(world.startParams('2'), never);
  expect(open().toSorted(([a], [b]) => a! - b!)).toEqual([[22], [80], [80]]);
});

test('A start whose firewall fails rejects, and succeeds when repeated', async () => {
  await firewallOf(environ).set([rule(80)], never);
  cloud.inject({ operation: 'firewall', when: 'before', error: fault() });
  await expect(environ.instances.start(world.startParams('0'), never)).rejects.toMatchObject({
    class: 'transient',
    message: 'its open ports could not be set: the cloud stumbles',
  });
  await environ.instances.start(world.startParams('0'), never);
  expect(open()).toEqual([[80]]);
});

test('An instance that disappears during the update is not a failure', async () => {
  await environ.instances.start(world.startParams('0'), never);
  const setting = firewallOf(environ).set([rule(80)], never);
  for (const { instance } of cloud.instances()) await cloud.vanish(instance.id);
  await setting;
  expect(await firewallOf(environ).rules(never)).toEqual([rule(80)]);
});

test('A model that is created again after its destruction has the first rules', async () => {
  await firewallOf(environ).set([rule(80)], never);
  await environ.destroyModel(never);
  const again = world.open(provider, { modelUuid: environ.modelUuid, firewallMode: 'global' });
  expect(await firewallOf(again).rules(never)).toEqual(firstRules);
});
