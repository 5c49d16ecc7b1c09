import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const meter: Story = {
  name: 'meter',
  title:
    'a charm with payloads and metrics of old runs, and its actions run in the background and are cancelled',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('meter'));
    await stage.settled('meter', 1, 'active', 'all taken');
    // Agents send their log a moment after a hook.
    await stage.until('the note of dropped metrics', async () =>
      (await stage.grigri('debug-log', '--replay', '--no-tail')).includes(
        'nobody collects metrics, dropped: users',
      ),
    );
    expect(await stage.act('meter/0', 'count', 'to=2')).toMatchObject({
      status: 'completed',
      log: [expect.stringMatching(/ 1$/), expect.stringMatching(/ 2$/)],
      results: { counted: '2' },
    });

    const started = await stage.attempt('run', 'meter/0', 'count', 'to=1000', 'each=1', '--background');
    const task = /task (\d+)/.exec(started.stdout + started.stderr)![1]!;
    const show = async (): Promise<{ status: string; log?: string[]; results?: object }> =>
      JSON.parse(await stage.grigri('show-task', task, '--format', 'json')) as Awaited<
        ReturnType<typeof show>
      >;
    await stage.until('it to count', async () => (await show()).log !== undefined);
    await stage.grigri('cancel-task', task);
    await stage.until('its end', async () => (await show()).status === 'aborted');
    expect((await show()).results).toMatchObject({ stopped: 'yes' });
    expect(await stage.exec('meter/0', 'status-get')).toBe('active');
  },
};
