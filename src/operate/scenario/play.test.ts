import { describe, expect, test } from 'vitest';
import type { FullStatus } from '../../wire/facades/client.ts';
import { parseScenario } from './parse.ts';
import { Play, StepFailed, type PlayOptions } from './play.ts';
import type { Stage } from './stage.ts';

/** Stage whose only unit has one status after the other, one for each look. */
function stage(
  ...statuses: readonly (readonly [status: string, since?: string])[]
): Stage & { ran: string[] } {
  const ran: string[] = [];
  let looks = 0;
  const nothing = (): Promise<never> => Promise.reject(new Error('not on this stage'));
  return {
    model: 'm',
    words: { CHARM: '/charm' },
    ran,
    charm: nothing,
    file: () => Promise.reject(new Error('none')),
    grigri(argv) {
      ran.push(argv.join(' '));
      return Promise.resolve({ code: argv[0] === 'fail' ? 1 : 0, output: `ran ${argv[0]}` });
    },
    look() {
      const [status, since = ''] = statuses[Math.min(looks++, statuses.length - 1)] ?? [''];
      const unit = {
        'agent-status': { status: 'idle', info: '', since, life: '' },
        'workload-status': { status, info: 'hook failed: "x"', since },
      };
      return Promise.resolve({
        instances: [],
        status: { applications: { web: { units: { 'web/0': unit } } } } as unknown as FullStatus,
      });
    },
    hooks: () => Promise.resolve([]),
    async until(check) {
      for (let n = 0; n < 5; n++) if (await check()) return true;
      return false;
    },
    let: nothing,
    killAgent: nothing,
    killController: nothing,
    cloud: nothing,
  };
}

function play(lines: string, on: Stage, options: PlayOptions = {}): Play {
  return new Play(parseScenario('s', `# t\n${lines}`), on, options);
}
const failedHooksEnd = true;

describe('a wait', () => {
  test('a wait is over when its condition holds', async () => {
    await play('wait until unit web/0 is active', stage(['waiting'], ['active']), { failedHooksEnd }).run();
  });

  test('a wait ends when a hook fails', async () => {
    const played = play('wait until unit web/0 is active', stage(['waiting'], ['error'], ['active']), {
      failedHooksEnd,
    }).run();
    await expect(played).rejects.toThrow(
      's:2: wait until unit web/0 is active\nunit web/0 is in error (hook failed: "x")',
    );
  });

  test('a wait goes on when failed hooks are retried', async () => {
    await play('wait until unit web/0 is active', stage(['error'], ['active'])).run();
  });

  test('a wait is not ended by an error that an earlier wait was for, but by the next error', async () => {
    const lines = 'wait until unit web/0 is in error\nwait until unit web/0 is active';
    await play(lines, stage(['error', '1'], ['error', '1'], ['active']), { failedHooksEnd }).run();
    const again = play(lines, stage(['error', '1'], ['error', '1'], ['error', '2'], ['active']), {
      failedHooksEnd,
    }).run();
    await expect(again).rejects.toThrow('unit web/0 is in error');
  });
});

test('the play of a scenario goes on from the step that failed, with the words that it has found', async () => {
  const on = stage(['waiting'], ['waiting'], ['waiting'], ['waiting'], ['waiting'], ['active']);
  const seen: string[] = [];
  const played = play('$ one $CHARM\n> ran {what}\nwait until unit web/0 is active\n$ two $what $MODEL', on, {
    onStep: ({ text }) => seen.push(text),
  });
  const failure: unknown = await played.run().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StepFailed);
  expect(failure).toMatchObject({
    index: 1,
    reason: 'waited in vain: unit web/0 is alive, idle, waiting (hook failed: "x")',
  });
  await played.run((failure as StepFailed).index);
  expect(on.ran).toEqual(['one /charm', 'two one m']);
  expect(seen).toHaveLength(4);
});

test.each([
  ['$ fail', 'exit code 1\nran fail'],
  ['! $ one', 'exit code 0\nran one'],
  ['$ one\n> two', '"two" is not in its output:\nran one'],
  ['expect unit web/0 is active', 'unit web/0 is alive, idle, waiting (hook failed: "x")'],
])('a step that fails reports the reason: %j', async (lines, reason) => {
  await expect(play(lines, stage(['waiting'])).run()).rejects.toMatchObject({ reason });
});
