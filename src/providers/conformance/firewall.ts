import { expect, test } from 'vitest';
import { firstRules, type FirewallMode, type PortRule } from '../contract/provider.ts';
import type { Kit } from './kit.ts';
import type { Opened } from './world.ts';
import { defined } from '../../core/defined.ts';

const rules: readonly PortRule[] = [
  { fromPort: 80, toPort: 80, protocol: 'tcp', sourceCidrs: [] },
  {
    fromPort: 8000,
    toPort: 8100,
    protocol: 'udp',
    sourceCidrs: ['192.0.2.0/24', '192.0.2.128/25', '2001:db8::/32'],
  },
  { fromPort: -1, toPort: -1, protocol: 'icmp', sourceCidrs: ['0.0.0.0/0', '::/0'] },
];
const everywhere = rules.slice(0, 1);

/** Cases of the firewall: exactly the rules that were set are open, from every source. */
export function firewallCases(kit: Kit): void {
  const { never } = kit;

  test('environments open in the declared firewall modes, or without a firewall where there are none', () => {
    const modes: readonly FirewallMode[] = ['instance', 'global', 'none'];
    expect(modes).toEqual(expect.arrayContaining([...kit.provider.firewallModes]));
    for (const firewallMode of kit.provider.firewallModes) {
      const { firewall } = kit.world.open(kit.provider, { firewallMode });
      expect([firewallMode, 'none']).toContain(firewall.mode);
    }
  });

  test('the firewall of an instance is exactly what was set', async ({ skip }) => {
    const { environ, world, subject } = kit;
    const { firewall } = environ;
    if (firewall.mode !== 'instance') return skip('it has no firewall for each instance');
    const { instance } = await environ.instances.start(kit.params('0'), never);
    expect(await firewall.rules(instance.id, never)).toEqual(firstRules);
    // The rules stay the same when they are set twice.
    for (const _ of [1, 2]) {
      await firewall.set(instance.id, rules, never);
      expect(sorted(await firewall.rules(instance.id, never))).toEqual(sorted(rules));
    }
    kit.provider = subject.fresh();
    const reopened = world.open(kit.provider, { modelUuid: environ.modelUuid }).firewall as typeof firewall;
    expect(sorted(await reopened.rules(instance.id, never))).toEqual(sorted(rules));
    await reopened.set(instance.id, rules.slice(1), never);
    expect(sorted(await reopened.rules(instance.id, never))).toEqual(sorted(rules.slice(1)));
    await reopened.set(instance.id, [], never);
    expect(await reopened.rules(instance.id, never)).toEqual([]);
  });

  test('firewalls are independent between instances and between models', async ({ skip }) => {
    const { environ, world, provider } = kit;
    const { firewall } = environ;
    if (firewall.mode !== 'instance') return skip('it has no firewall for each instance');
    const one = await environ.instances.start(kit.params('0'), never);
    const two = await environ.instances.start(kit.params('1'), never);
    await firewall.set(one.instance.id, everywhere, never);
    expect(await firewall.rules(two.instance.id, never)).toEqual(firstRules);
    const other = world.open(provider).firewall as typeof firewall;
    const notFound = { code: 'not found' };
    await expect(other.set(one.instance.id, [], never)).rejects.toMatchObject(notFound);
    await expect(other.rules(one.instance.id, never)).rejects.toMatchObject(notFound);
    await expect(firewall.set('juju-000000-0', rules, never)).rejects.toMatchObject(notFound);
    await expect(firewall.rules('juju-000000-0', never)).rejects.toMatchObject(notFound);
    expect(await firewall.rules(one.instance.id, never)).toEqual(everywhere);
  });

  test('a port is reached from outside while it is open', async ({ skip }) => {
    const { environ, subject } = kit;
    const { firewall } = environ;
    if (firewall.mode !== 'instance' || !subject.reach) return skip('nobody looks from outside');
    const instance = await kit.reachable(environ, '0');
    const reach = (): Promise<string> => subject.reach!(instance, 80, environ);
    expect(await reach()).toBe('held');
    await firewall.set(instance.id, everywhere, never);
    expect(await reach()).toBe('through');
    await firewall.set(instance.id, [], never);
    expect(await reach()).toBe('held');
  });

  test('a global firewall covers all machines, including later ones', async ({ skip }) => {
    const { world, subject } = kit;
    const open = (modelUuid?: string): Opened =>
      world.open(kit.provider, { firewallMode: 'global', ...defined({ modelUuid: modelUuid || undefined }) });
    const environ = open();
    const { firewall } = environ;
    if (firewall.mode !== 'global') return skip('it has no global firewall');
    const first = await kit.reachable(environ, '0');
    expect(await firewall.rules(never)).toEqual(firstRules);
    for (const _ of [1, 2]) {
      await firewall.set(rules, never);
      expect(sorted(await firewall.rules(never))).toEqual(sorted(rules));
    }
    kit.provider = subject.fresh();
    const reopened = open(environ.modelUuid);
    const restarted = reopened.firewall as typeof firewall;
    const second = await kit.reachable(reopened, '1');
    expect(sorted(await restarted.rules(never))).toEqual(sorted(rules));
    const reach = async (): Promise<string[]> => {
      const { reach: look } = subject;
      return look ? Promise.all([first, second].map((instance) => look(instance, 80, reopened))) : [];
    };
    const seen = subject.reach ? ['through', 'through'] : [];
    expect(await reach()).toEqual(seen);
    await restarted.set([], never);
    expect(await restarted.rules(never)).toEqual([]);
    expect(await reach()).toEqual(seen.map(() => 'held'));
  });

  test('without a firewall every port is reached', async ({ skip }) => {
    const { world, provider, subject } = kit;
    if (!provider.firewallModes.includes('none')) return skip('it always has a firewall');
    const environ = world.open(provider, { firewallMode: 'none' });
    expect(environ.firewall.mode).toBe('none');
    const instance = await kit.reachable(environ, '0');
    if (subject.reach) expect(await subject.reach(instance, 80, environ)).toBe('through');
  });
}

/** Sorts rules and their sources, both of which are sets. */
function sorted(all: readonly PortRule[]): PortRule[] {
  return all
    .map((rule) => ({ ...rule, sourceCidrs: rule.sourceCidrs.toSorted() }))
    .toSorted((a, b) => a.protocol.localeCompare(b.protocol) || a.fromPort - b.fromPort);
}
