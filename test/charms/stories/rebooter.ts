import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const rebooter: Story = {
  name: 'rebooter',
  title:
    'a charm reboots its machine in the middle of a hook and after one, and starts anew after each boot, as does its subordinate',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('rebooter'));
    await stage.settled('rebooter', 1, 'active', 'quiet, starts 1');
    expect(await stage.exec('rebooter/0', 'state-get installs')).toBe('2');
    await stage.grigri('deploy', stage.charm('lookout'));
    await stage.grigri('integrate', 'rebooter', 'lookout');
    const starts = async (): Promise<string[]> =>
      (await stage.inside('rebooter/0', 'cat /var/lib/lookout-starts')).split('\n');
    await stage.until('the subordinate to start', async () => (await starts()).length === 1);
    await stage.grigri('config', 'rebooter', 'parameters=loud');
    await stage.settled('rebooter', 1, 'active', 'loud, starts 2');
    await stage.until('the subordinate to start anew', async () => new Set(await starts()).size === 2);
    // The charm reboots twice in install, which begins again after the boot, and once in config-changed.
    const boots = await stage.inside('rebooter/0', 'cat /var/lib/boots');
    expect(boots.split('\n')).toHaveLength(3);
    expect(await stage.inside('rebooter/0', 'cat /proc/sys/kernel/random/boot_id')).not.toBe(
      boots.split('\n').at(-1),
    );
    const { results } = await stage.act('rebooter/0', 'reboot');
    expect(results).toMatchObject({ refused: 'yes' });
    expect(results?.['stdout']).toContain('juju-reboot is not supported when running an action');
  },
};
