import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const quorum: Story = {
  name: 'quorum',
  title: 'a charm with ops waits for the goal that it is told, of its peers and of what it is related to',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('quorum'), '-n', '2');
    await stage.settled('quorum', 2, 'active', '2 of 2, expects nobody');
    await stage.grigri('deploy', stage.charm('greeter'), 'site', '--config', 'port=81');
    await stage.grigri('integrate', 'quorum', 'site');
    await stage.settled('quorum', 2, 'active', '2 of 2, expects site/0');
    await stage.grigri('add-unit', 'quorum');
    await stage.settled('quorum', 3, 'active', '3 of 3, expects site/0');
    expect(await stage.exec('quorum/2', 'opened-ports')).toBe('7000/tcp');
    await stage.grigri('remove-unit', 'quorum/1', '--no-prompt');
    await stage.settled('quorum', 2, 'active', '2 of 2, expects site/0');
  },
};
