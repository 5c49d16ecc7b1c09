import { expect, test } from 'vitest';
import { consumed, offered, settleBoth, twoModels } from '../../../testing/two-models.ts';
import { announcedAddresses } from './unit-network.ts';

const outside = '203.0.113.9';

test.each([
  { via: [], from: `${outside}/32` },
  { via: ['198.51.100.0/24'], from: '198.51.100.0/24' },
])(
  'units announce to another model their public address, and with --via $via that they come from $from',
  async ({ via, from }) => {
    await using world = await twoModels();
    await offered(world);
    await consumed(world);
    const { offering, consuming, call } = world;
    for (const side of [offering, consuming])
      await side.change((tx) => {
        for (const machine of tx.list('machine')) {
          const address = { value: outside, type: 'ipv4', scope: 'public', interfaceName: '' } as const;
          tx.put('machine', machine.id, { ...machine, addresses: [...machine.addresses, address] });
        }
      });
    await call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': via });
    await world.carry();
    await settleBoth(world);

    const view = offering.view();
    const [relation] = view.find('relation', 'remote', 'offered');
    const { token, application, offered: of } = relation!.remote!;
    expect(of?.ingress).toEqual([from]);
    expect(view.get('settings', `${relation!.id}#${application}/0`)?.values).toEqual({
      'ingress-address': outside,
      'private-address': outside,
      'egress-subnets': from,
    });
    const [here] = consuming.view().find('relation', 'token', token);
    expect(consuming.view().get('settings', `${here!.id}#db/0`)?.values).toMatchObject({
      'ingress-address': outside,
      'egress-subnets': `${outside}/32`,
    });
    // Units of the same model reach the unit at the address that its provider knows.
    const [peers] = view.find('relation', 'endpoint', 'mysql:cluster');
    expect(announcedAddresses(view, view.get('unit', 'mysql/0')!, 'cluster', peers!)).toMatchObject({
      'ingress-address': '10.0.1.0',
    });
  },
);
