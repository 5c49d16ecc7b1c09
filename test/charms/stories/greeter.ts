import { expect } from 'vitest';
import { fails, type Story } from '../stage.ts';

export const greeter: Story = {
  name: 'greeter',
  title:
    'a charm in bash installs a package by apt, is visited, refreshed when it fails and when it is mended, rolled back, and purges',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('greeter'));
    await stage.grigri('deploy', stage.charm('visitor'));
    await stage.settled('visitor', 1, 'blocked', 'sees nothing');
    await stage.settled('greeter', 1, 'active', 'hello, world at 8080');
    expect(await stage.inside('greeter/0', 'dpkg-query -W -f "\\${Status}" hello')).toBe(
      'install ok installed',
    );

    await stage.grigri('integrate', 'greeter', 'visitor');
    const { applications } = await stage.status();
    const address = applications['greeter']!.units!['greeter/0']!['public-address'];
    await stage.settled('visitor', 1, 'active', `sees greeter/0=${address}:8080`);
    await stage.grigri('config', 'greeter', 'port=8081', 'whom=moon');
    await stage.settled('visitor', 1, 'active', `sees greeter/0=${address}:8081`);
    await stage.settled('greeter', 1, 'active', 'hello, moon at 8081');
    expect(await stage.exec('greeter/0', 'opened-ports')).toBe('8081/tcp');
    expect(await stage.act('greeter/0', 'greet', 'times=2')).toMatchObject({
      status: 'completed',
      results: { greeted: 'moon', by: { unit: 'greeter/0' }, stdout: 'hello, moon\nhello, moon\n' },
    });
    const refused = await stage.attempt('run', 'greeter/0', 'greet', 'times=6');
    expect(refused.stderr).toContain('failed to schedule any tasks');

    await stage.rolledBack('greeter', stage.charm('greeter', { 'hooks/upgrade-charm': fails }));
    await stage.settled('greeter', 1, 'active', 'hello, moon at 8081');

    // Files of the charm folder are those of the new charm already when its hook fails.
    const broken = { 'hooks/upgrade-charm': fails, 'hooks/extra': 'gone later\n' };
    await stage.grigri('refresh', 'greeter', '--path', stage.charm('greeter', broken));
    await stage.untilUnit('greeter/0', { workload: 'error', message: 'hook failed: "upgrade-charm"' });
    const mended = stage.charm('greeter', { 'hooks/start': null });
    await stage.grigri('refresh', 'greeter', '--path', mended, '--force-units');
    await stage.grigri('resolved', 'greeter/0');
    await stage.settled('greeter', 1, 'active', 'hello, moon at 8081');
    expect(await stage.inside('greeter/0', 'ls /var/lib/juju/agents/unit-greeter-0/charm/hooks')).not.toMatch(
      /extra|start/,
    );

    await stage.grigri('add-unit', 'greeter');
    await stage.until('the visitor to see both', async () =>
      /greeter\/0=.*greeter\/1=|greeter\/1=.*greeter\/0=/.test((await stage.unit('visitor/0')).message),
    );
    await stage.grigri('remove-unit', 'greeter/0', '--no-prompt');
    await stage.until(
      'the visitor to see only the other',
      async () => !(await stage.unit('visitor/0')).message.includes('greeter/0'),
    );
    await stage.grigri('remove-relation', 'greeter', 'visitor');
    await stage.settled('visitor', 1, 'blocked', 'sees nothing');
  },
};
