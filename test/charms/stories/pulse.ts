import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const pulse: Story = {
  name: 'pulse',
  title: 'a charm tells at each update-status whether its workload lives',
  async play(stage) {
    await stage.grigri('model-config', 'update-status-hook-interval=1m');
    await stage.grigri('deploy', stage.charm('pulse'));
    await stage.settled('pulse', 1, 'active', 'it lives');
    await stage.inside('pulse/0', 'rm /run/workload');
    await stage.settled('pulse', 1, 'blocked', 'it is dead');
    await stage.inside('pulse/0', 'touch /run/workload');
    await stage.settled('pulse', 1, 'active', 'it lives');
    const log = await stage.grigri('show-status-log', 'pulse/0', '--type', 'workload');
    expect(log).toMatch(/blocked +it is dead\n.*active +it lives/);
    expect(Number(await stage.exec('pulse/0', 'state-get beats'))).toBeGreaterThanOrEqual(2);
  },
};
