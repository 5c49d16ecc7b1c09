import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const gate: Story = {
  name: 'gate',
  title: 'a charm opens ports for endpoints, asks for its addresses, and is exposed in part',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('gate'));
    await stage.settled('gate', 1, 'active', 'open');
    expect(await stage.inside('gate/0', 'cat /root/ports')).toBe(
      '53/udp (*)\n80/tcp (website)\n9000-9002/tcp (admin)\nicmp (*)',
    );
    await stage.grigri('config', 'gate', 'port=443');
    await stage.until('the other port', async () =>
      (await stage.exec('gate/0', 'opened-ports')).split('\n').includes('443/tcp'),
    );
    expect(await stage.exec('gate/0', 'opened-ports --format json')).toBe(
      '["53/udp","443/tcp","9000-9002/tcp","icmp"]',
    );
    await stage.grigri('expose', 'gate', '--endpoints', 'website', '--to-cidrs', '10.0.0.0/8');
    const shown = JSON.parse(await stage.grigri('show-application', 'gate', '--format', 'json')) as object;
    expect(shown).toMatchObject({
      gate: { exposed: true, 'exposed-endpoints': { website: { 'expose-to-cidrs': ['10.0.0.0/8'] } } },
    });
    await stage.grigri('unexpose', 'gate');
  },
};
