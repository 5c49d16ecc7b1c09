import { expect, test } from 'vitest';
import { explainView, lines, machine, status, unit } from '../../testing/explain-view.ts';

const [old, next] = ['a'.repeat(64), 'b'.repeat(64)];
const failed = { build: next, attempt: 0, message: 'it ended 3 times before it had reached the controller' };
const running = status('instance', '0', 'running', 'Running');
const active = status('workload', 'mysql/0', 'active', 'ready');
const view = (change: Parameters<typeof machine>[1], message = ''): Parameters<typeof lines>[1] =>
  explainView({
    machine: machine('0', change),
    unit: unit('mysql/0', '0'),
    status: { ...running, ...active, ...status('machine-agent', '0', 'started', message) },
  });
const why =
  'the upgrade of agents has stopped here: program bbbbbbbbbbbb did not come up, and its agent went back to aaaaaaaaaaaa: it ended 3 times before it had reached the controller';

test('a machine whose agent went back to the program before says why, and how it is asked again', () => {
  const stopped = view({ program: { build: old, failed }, programWanted: { build: next, attempt: 0 } });
  expect(lines({ kind: 'machine', id: '0' }, stopped).slice(0, 3)).toEqual([
    `machine 0: alive, no problems found; ${why}`,
    expect.stringMatching(
      /^> operator machine 0 \S+: find out why the program of the agent does not come up, and try again$/,
    ),
    '$ upgrade-model --reset-previous-upgrade',
  ]);
  expect(lines({ kind: 'unit', id: 'mysql/0' }, stopped).slice(0, 3)).toEqual([
    `unit mysql/0: alive, no problems found; on machine 0, ${why}`,
    expect.stringMatching(/^> operator machine 0 /),
    '$ upgrade-model --reset-previous-upgrade',
  ]);
});

test.each<[what: string, change: Parameters<typeof machine>[1]]>([
  ['is asked again', { program: { build: old, failed }, programWanted: { build: next, attempt: 1 } }],
  [
    'has the program that it was asked to take',
    { program: { build: next }, programWanted: { build: next, attempt: 0 } },
  ],
  ['has once failed, and is not asked any more', { program: { build: old, failed } }],
])('a machine whose agent %s has no upgrade that has stopped', (_, change) => {
  for (const entity of [
    { kind: 'machine', id: '0' },
    { kind: 'unit', id: 'mysql/0' },
  ] as const)
    expect(lines(entity, view(change))[0]).toMatch(/: alive, no problems found$/);
});

test('the machine of a controller that went back says why, and which command tries again', () => {
  const message = 'the controller went back from program bbbbbbbbbbbb, which did not come up: it ended';
  expect(lines({ kind: 'machine', id: '0' }, view({ isController: true }, message)).slice(0, 3)).toEqual([
    `machine 0: alive, no problems found; ${message}`,
    expect.stringMatching(
      /^> operator machine 0 \S+: find out why the program of the controller does not come up/,
    ),
    '$ upgrade-controller',
  ]);
  expect(lines({ kind: 'machine', id: '0' }, view({ isController: true }))[0]).toBe(
    'machine 0: alive, no problems found',
  );
});

test('an agent that is away for another program is waited for, and after five minutes looked for', () => {
  const asked = { program: { build: old }, programWanted: { build: next, attempt: 0 } };
  const away = (minutes: number): string[] => {
    const base = view(asked);
    const since = new Date(Date.parse(base.now) - minutes * 60_000).toISOString();
    return lines({ kind: 'machine', id: '0' }, { ...base, present: () => false, absentSince: () => since });
  };
  expect(away(2).slice(0, 2)).toEqual([
    'machine 0: alive, its agent has no connection while it changes its program; instance i-0 is running',
    expect.stringMatching(
      /^> agent machine 0 \S+: starts with program bbbbbbbbbbbb, and goes back to aaaaaaaaaaaa when that has not come up after two minutes$/,
    ),
  ]);
  expect(away(6)[0]).toBe('machine 0: alive, its agent has no connection; instance i-0 is running');
});
