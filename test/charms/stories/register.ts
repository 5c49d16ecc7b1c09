import { expect } from 'vitest';
import { fails, type Story } from '../stage.ts';

export const register: Story = {
  name: 'register',
  title:
    'a charm in the style of reactive keeps flags, elects a leader, loses it, and serves a charm with ops',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('register'), '-n', '2');
    await stage.grigri(
      'deploy',
      stage.charm('ledger'),
      '--resource',
      `rates=${stage.file('rates.json', '{"eur": 1}')}`,
    );
    await stage.settled('register', 2, 'active', 'ready');
    const first = await stage.leader('register');
    const token = `t-${first.replace('/', '-')}`;
    expect(await stage.exec('register/1', 'leader-get token')).toBe(token);
    await stage.until('each peer to have met the other', async () => {
      const { 'local-unit': own } = await stage.relation('register/0', 'cluster');
      return own.data['met'] === '["register/1"]';
    });

    await stage.settled('ledger', 1, 'active', '0 amounts in eur');
    await stage.grigri('integrate', 'ledger:db', 'register:db');
    await stage.settled('register', 2, 'active', 'serving ledger/0:ledger-eur');
    const { 'related-units': units = {} } = await stage.relation('ledger/0', 'db');
    expect(units['register/1']?.data).toMatchObject({ port: '6380', name: 'r-register-1', token });

    await stage.grigri('config', 'register', 'port=7000', 'readonly=true', 'ratio=2');
    await stage.settled('register', 2, 'active', 'serving ledger/0:ledger-eur readonly');
    expect(await stage.exec('register/0', 'opened-ports')).toBe('7000/tcp');
    expect((await stage.relation('ledger/0', 'db'))['related-units']!['register/0']!.data['port']).toBe(
      '7000',
    );

    const { status, results } = await stage.act('register/0', 'flags', 'prefix=register');
    expect([status, results?.['flags']]).toEqual([
      'completed',
      first === 'register/0'
        ? 'register.installed register.leader register.started'
        : 'register.installed register.started',
    ]);
    expect(await stage.act('register/0', 'break')).toMatchObject({
      status: 'failed',
      message: 'it is broken',
      results: { outcome: 'bad' },
    });

    // The leader's settings outlive the leader; the next leader is elected at once when it leaves.
    await stage.grigri('remove-unit', first, '--no-prompt');
    const [left] = await stage.settled('register', 1, 'active');
    await stage.until('the other to lead', async () => (await stage.leader('register')) === left);
    await stage.until('its hook', async () =>
      String((await stage.act(left!, 'flags')).results?.['flags']).includes('register.leader'),
    );
    expect(await stage.exec(left!, 'leader-get token')).toBe(token);

    // Flags are in the charm's folder, and a refresh keeps files that the charm itself wrote there.
    await stage.grigri('refresh', 'register', '--path', stage.charm('register', { 'lib/new.py': '' }));
    await stage.until('the new file', async () =>
      (
        await stage.inside(left!, `ls /var/lib/juju/agents/unit-${left!.replace('/', '-')}/charm/lib`)
      ).includes('new.py'),
    );
    await stage.settled('register', 1, 'active');
    expect(String((await stage.act(left!, 'flags')).results?.['flags'])).toContain('register.started');
    await stage.rolledBack('register', stage.charm('register', { 'hooks/upgrade-charm': fails }));
    await stage.settled('register', 1, 'active');
    expect(String((await stage.act(left!, 'flags')).results?.['flags'])).toContain('register.started');
  },
};
