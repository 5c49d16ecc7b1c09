import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const keeper: Story = {
  name: 'keeper',
  title:
    'charms with the newest ops lend secrets, give them other contents, let them expire, are refreshed and rolled back, take grants back',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('keeper'), '-n', '2');
    await stage.grigri('deploy', stage.charm('reader'));
    await stage.settled('reader', 1, 'waiting', 'for a password');
    await stage.settled('keeper', 2, 'active');
    for (const n of [0, 1]) expect((await stage.unit(`keeper/${n}`)).message).toBe(`OF-KEEPER-${n}`);
    const leader = await stage.leader('keeper');
    await stage.grigri('integrate', 'keeper', 'reader');
    await stage.settled('reader', 1, 'active', 'FIRST');
    const secrets = JSON.parse(await stage.grigri('secrets', '--format', 'json')) as Record<
      string,
      { readonly label?: string; readonly owner: string }
    >;
    const id = Object.keys(secrets).find((one) => secrets[one]!.label === 'password')!;
    expect(secrets[id]).toMatchObject({ owner: 'keeper', rotation: 'hourly', description: 'for readers' });

    // The owner peeks at the content that it writes; the reader follows, and the revision that nobody tracks is
    // removed.
    expect((await stage.act(leader, 'change', 'word=second')).results).toEqual(
      expect.objectContaining({ peeked: 'second' }),
    );
    await stage.settled('reader', 1, 'active', 'SECOND');
    await stage.until('the first revision to go', async () =>
      (await stage.unit(leader)).message.includes('secret_remove:password:1'),
    );

    // Expired secrets are renewed by their owner.
    expect((await stage.act(leader, 'expire')).status).toBe('completed');
    await stage.until('the expired revision', async () =>
      (await stage.unit(leader)).message.includes('secret_expired:password:2'),
    );
    await stage.settled('reader', 1, 'active', 'RENEWED');
    expect((await stage.unit(leader)).message).toContain('secret_changed:password:');

    const uri = (await stage.grigri('add-secret', 'key', 'value=one')).trim();
    await stage.grigri('config', 'reader', `api-key=${uri}`);
    await stage.settled('reader', 1, 'blocked', 'api-key: denied');
    await stage.grigri('grant-secret', 'key', 'reader');
    await stage.grigri('update-secret', 'key', 'value=two');
    await stage.exec('reader/0', 'JUJU_DISPATCH_PATH=hooks/update-status ./dispatch');
    await stage.settled('reader', 1, 'active', 'RENEWED TWO');

    await stage.grigri('add-unit', 'keeper');
    await stage.settled('keeper', 3, 'active');
    await stage.rolledBack('keeper', stage.charm('keeper', { 'src/charm.py': 'raise RuntimeError\n' }));
    await stage.settled('keeper', 3, 'active');
    await stage.settled('reader', 1, 'active', 'RENEWED TWO');

    expect((await stage.act(leader, 'withdraw')).status).toBe('completed');
    await stage.exec('reader/0', 'JUJU_DISPATCH_PATH=hooks/update-status ./dispatch');
    await stage.settled('reader', 1, 'active', 'denied TWO');

    await stage.grigri('remove-secret', 'key');
    await stage.grigri('remove-application', 'keeper', '--no-prompt');
    await stage.until('the secrets to go with their owner', async () => {
      const left = JSON.parse((await stage.grigri('secrets', '--format', 'json')) || '{}') as object;
      return Object.keys(left).length === 0;
    });
  },
};
