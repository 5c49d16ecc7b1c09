import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { toolCallsOfOps } from '../ops-tests/run.ts';
import type { Story } from '../stage.ts';

interface Came {
  readonly call: readonly string[];
  readonly code: number;
  readonly stderr: string;
}

export const opsCalls: Story = {
  name: 'ops-calls',
  title: 'each call of a tool that ops’ unit tests expect of its wrappers is one that the tool knows',
  async play(stage) {
    // The call that reboots is left out: the reboot would be real.
    const calls = (await toolCallsOfOps(stage.world)).filter(([tool]) => tool !== 'juju-reboot');
    expect(calls.length).toBeGreaterThan(100);
    await stage.grigri('deploy', stage.charm('any-charm'));
    await stage.settled('any-charm', 1, 'waiting');
    for (const [name, content] of [
      ['calls.json', JSON.stringify(calls)],
      ['call_tools.py', readFileSync(join(import.meta.dirname, '../ops-tests/call_tools.py'), 'utf8')],
    ] as const)
      await stage.grigri('scp', stage.file(name, content), `any-charm/0:/tmp/${name}`);
    const { stdout } = await stage.attempt(
      'exec',
      '--unit',
      'any-charm/0',
      '--format',
      'json',
      '--',
      'python3 /tmp/call_tools.py /tmp/calls.json',
    );
    const [task] = Object.values(JSON.parse(stdout) as Record<string, { results: { stdout: string } }>);
    const came = JSON.parse(task!.results.stdout) as Came[];
    expect(came).toHaveLength(calls.length);
    const unknown =
      /provided but not defined|needs an argument|unrecognized|unknown|No such file or directory: '/;
    expect(came.filter(({ code, stderr }) => code === -1 || unknown.test(stderr))).toEqual([]);
  },
};
