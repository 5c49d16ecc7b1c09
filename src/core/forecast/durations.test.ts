import { expect, test } from 'vitest';
import type { PastChange } from '../history/past-change.ts';
import type { StatusDoc } from '../status/document.ts';
import { statusId, type StatusKind } from '../status.ts';
import { DurationsOfPast, type KnownDurations } from './durations.ts';

type Seen = readonly [second: number, status: string, message?: string];

/** Returns the changes of an entity's statuses, newest first. */
function changes(kind: StatusKind, entity: string, ...seen: readonly Seen[]): PastChange[] {
  const docs = seen.map(([second, status, message = '']): StatusDoc => ({
    kind,
    entity,
    status,
    message,
    since: new Date(second * 1000).toISOString(),
  }));
  return docs
    .map((after, n): PastChange => ({
      kind: 'status',
      id: statusId(kind, entity),
      before: docs[n - 1],
      after,
    }))
    .toReversed();
}

function found(...all: readonly PastChange[][]): KnownDurations {
  const past = new DurationsOfPast();
  for (const change of all.flat()) past.see(change);
  return past.known();
}

function known(...all: readonly PastChange[][]): unknown {
  const { seen: _, ...durations } = found(...all);
  return durations;
}

test('a hook lasts until the agent does something else', () => {
  const hooks = changes(
    'unit-agent',
    'web/0',
    [0, 'allocating'],
    [10, 'executing', 'running install hook'],
    [40, 'executing', 'running db-relation-joined hook for db/0'],
    [42, 'idle'],
    [50, 'executing', 'running stop hook'],
    [51, 'error', 'hook failed: "stop"'],
  );
  expect(known(hooks)).toEqual({
    hooks: { 'web install': 30_000, 'web db-relation-joined': 2_000, 'web stop': 1_000 },
  });
});

test('of several the middle one counts, of each application for itself', () => {
  const once = (unit: string, seconds: number): PastChange[] =>
    changes('unit-agent', unit, [0, 'executing', 'running start hook'], [seconds, 'idle']);
  expect(known(once('web/0', 1), once('web/1', 100), once('web/2', 3), once('db/0', 7))).toEqual({
    hooks: { 'web start': 3_000, 'db start': 7_000 },
  });
});

test('a reboot and an upgrade are no duration of a hook', () => {
  const all = changes(
    'unit-agent',
    'web/0',
    [0, 'executing', 'running start hook'],
    [9, 'rebooting'],
    [20, 'executing', 'upgrading charm'],
    [30, 'idle'],
  );
  expect(known(all)).toEqual({ hooks: {} });
});

test('a start lasts until the instance runs, a boot from then until its agent has started', () => {
  const agent = changes('machine-agent', '3', [75, 'started']);
  const instance = changes('instance', '3', [0, 'pending'], [10, 'allocating', 'starting'], [25, 'running']);
  expect(known(agent, instance)).toEqual({ hooks: {}, start: 15_000, boot: 50_000 });
});

test('containers have starts and boots of their own', () => {
  const start = (id: string, took: number): PastChange[][] => [
    changes('machine-agent', id, [took * 3, 'started']),
    changes('instance', id, [0, 'allocating'], [took, 'running']),
  ];
  expect(known(...start('3', 20), ...start('3/lxd/0', 4))).toEqual({
    hooks: {},
    start: 20_000,
    boot: 40_000,
    containerStart: 4_000,
    containerBoot: 8_000,
  });
});

test('what the durations are taken from is counted', () => {
  const once = (unit: string, hook: string): PastChange[] =>
    changes('unit-agent', unit, [0, 'executing', `running ${hook} hook`], [1, 'idle']);
  const machine = changes('instance', '3', [0, 'allocating'], [1, 'running']);
  const nothing = { hooks: 0, runs: 0, starts: 0, boots: 0, containerStarts: 0, containerBoots: 0 };
  expect(found().seen).toEqual(nothing);
  const seen = found(once('web/0', 'start'), once('web/1', 'start'), once('db/0', 'start'), machine).seen;
  expect(seen).toEqual({ ...nothing, hooks: 2, runs: 3, starts: 1 });
});
