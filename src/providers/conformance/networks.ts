import { expect, test } from 'vitest';
import { networkOf } from '../../core/cidr.ts';
import type { MachineNetworks } from '../../core/network/machine-networks.ts';
import { systemClock } from '../../kit/clock.ts';
import type { Kit } from './kit.ts';

/** Cases of clouds whose networks can be chosen, skipped for others. */
export function networkCases(kit: Kit): void {
  const { never } = kit;

  /** Starts a machine; returns the subnets of its addresses once it has one in each of these. */
  async function subnetsOf(machineId: string, networks: MachineNetworks, wanted: readonly string[]) {
    const { environ } = kit;
    const { instance } = await environ.instances.start(kit.params(machineId, { networks }), never);
    for (;;) {
      const [now] = await environ.instances.get([instance.id], never);
      const subnets = new Set(now?.addresses.map(({ cidr = '' }) => networkOf(cidr)));
      if (wanted.every((cidr) => subnets.has(cidr))) return subnets;
      await systemClock.sleep(200);
    }
  }

  test('an instance has an address in each space that is asked for, and in no excluded one', async ({
    skip,
  }) => {
    const { environ } = kit;
    if (!environ.networks) return skip('its networks cannot be chosen');
    // The network of a model may be made with its first machine.
    const first = await kit.reachable(environ, '0');
    const all = await environ.networks.subnets(never);
    expect(all.map(networkOf)).toEqual(all);
    const own = all.filter((cidr) => first.addresses.some((one) => networkOf(one.cidr ?? '') === cidr));
    expect(own).not.toEqual([]);
    const ipv4 = all.filter((cidr) => !cidr.includes(':'));
    const spaces = ipv4.map((cidr, n) => ({ name: `space-${n}`, subnets: [cidr] }));
    await subnetsOf('1', { spaces, excluded: [] }, ipv4);
    const others = ipv4.filter((cidr) => !own.includes(cidr));
    const kept = { spaces: [{ name: 'own', subnets: own }], excluded: others };
    expect([...(await subnetsOf('2', kept, []))].filter((cidr) => others.includes(cidr ?? ''))).toEqual([]);
  });

  test('a space without a network of the cloud is a bad request that makes nothing', async ({ skip }) => {
    const { environ } = kit;
    if (!environ.networks) return skip('its networks cannot be chosen');
    const networks = { spaces: [{ name: 'far', subnets: ['203.0.113.0/24'] }], excluded: [] };
    await expect(environ.instances.start(kit.params('0', { networks }), never)).rejects.toMatchObject({
      class: 'bad request',
      message: expect.stringContaining('space "far"') as string,
    });
    expect(await kit.idsOf(environ)).toEqual([]);
    expect(await kit.leftovers('instances')).toEqual([]);
  });
}
