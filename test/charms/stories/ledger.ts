import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const ledger: Story = {
  name: 'ledger',
  title:
    'a charm with ops 2.19 keeps its data in a storage that moves, and has a resource, custom and deferred events',
  async play(stage) {
    const rates = (factor: number): string => stage.file('rates.json', JSON.stringify({ eur: factor }));
    const total = async (unit: string): Promise<Readonly<Record<string, unknown>>> =>
      (await stage.act(unit, 'total')).results ?? {};
    await stage.grigri('deploy', stage.charm('ledger'), '--storage', 'data=local,32M');
    await stage.settled('ledger', 1, 'waiting', 'no rate of eur');
    await stage.grigri('attach-resource', 'ledger', `rates=${rates(2)}`);
    await stage.settled('ledger', 1, 'active', '0 amounts in eur');

    expect(await stage.act('ledger/0', 'add', 'amount=5')).toMatchObject({
      status: 'completed',
      results: { entries: '1', nested: { sum: '5' } },
    });
    expect(await stage.act('ledger/0', 'add', 'amount=-1')).toMatchObject({
      status: 'failed',
      message: 'an amount is above 0',
    });
    await stage.act('ledger/0', 'add', 'amount=2.5');
    const before = await total('ledger/0');
    expect(before).toMatchObject({ total: '15.0', rate: '2', announced: '0.0' });
    expect(before['events']).toMatch(
      /^data_storage_attached install leader_elected config_changed start upgrade_charm config_changed/,
    );

    // Deferred events are emitted again once there is a database.
    await stage.grigri('deploy', stage.charm('register'));
    await stage.grigri('integrate', 'ledger:db', 'register:db');
    await stage.settled('register', 1, 'active', 'serving ledger/0:ledger-eur');
    await stage.until('the deferred event', async () => {
      const { data } = (await stage.relation('ledger/0', 'db'))['local-unit'];
      return data['announced'] === '7.5';
    });
    expect((await stage.relation('ledger/0', 'ring'))['application-data']).toEqual({ leader: 'ledger/0' });
    expect((await stage.relation('register/0', 'db'))['application-data']).toEqual({ owner: 'ledger/0' });

    await stage.grigri('attach-resource', 'ledger', `rates=${rates(3)}`);
    await stage.until('the new rate', async () => (await total('ledger/0'))['rate'] === '3');

    // Charms that cannot be imported fail their hooks; the mended charm goes on without an operator's help.
    const broken = stage.charm('ledger', { 'src/charm.py': 'raise RuntimeError("broken")\n' });
    await stage.rolledBack('ledger', broken);
    await stage.settled('ledger', 1, 'active', '2 amounts in eur');
    await stage.grigri('refresh', 'ledger', '--path', broken);
    await stage.untilUnit('ledger/0', { workload: 'error', message: 'hook failed: "upgrade-charm"' });
    const mended = stage.charm('ledger', { version: '1.1\n' });
    await stage.grigri('refresh', 'ledger', '--path', mended, '--force-units');
    await stage.grigri('resolved', 'ledger/0');
    await stage.settled('ledger', 1, 'active', '2 amounts in eur');
    await stage.until('the version', async () => {
      const { applications } = (await stage.status()) as unknown as {
        readonly applications: Readonly<Record<string, { readonly version?: string }>>;
      };
      return applications['ledger']?.version === '1.1';
    });

    await stage.grigri('config', 'ledger', 'currency=usd');
    await stage.settled('ledger', 1, 'waiting', 'no rate of usd');
    await stage.grigri('config', 'ledger', '--reset', 'currency');
    await stage.settled('ledger', 1, 'active', '2 amounts in eur');

    // The storage outlives its unit, and the next unit finds the amounts there.
    await stage.grigri('remove-unit', 'ledger/0', '--no-prompt');
    await stage.until('the storage to be free', async () => {
      const { storage } = JSON.parse(await stage.grigri('storage', '--format', 'json')) as {
        readonly storage: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
      };
      return storage['data/0']?.status.current === 'detached';
    });
    await stage.grigri('add-unit', 'ledger', '--attach-storage', 'data/0');
    await stage.settled('ledger', 1, 'active', '2 amounts in eur');
    expect(await stage.inside('ledger/1', 'cat /srv/ledger/detached')).toBe('data/0');
    expect(await total('ledger/1')).toMatchObject({ total: '22.5', announced: '0.0' });
  },
};
