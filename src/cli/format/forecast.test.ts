import { expect, test } from 'vitest';
import { formatForecast } from './forecast.ts';

const ofOlder = {
  began: '2026-01-01T00:00:00Z',
  horizon: 600,
  played: 600,
  timeline: [{ at: 60, entity: 'event', what: 'controller is killed' }],
  lines: 1,
  stuck: [],
  'stuck-entities': 0,
  end: { units: { all: 2, well: 2 }, machines: { all: 1, well: 1 } },
};
const shownFirst = `1m  event: controller is killed

After 10m something is still under way. Nothing is stuck.
2 of 2 units as they should be, 1 of 1 machines as they should be
`;

test('a forecast of an older controller, which tells neither retries nor durations, is shown', () => {
  expect(formatForecast(ofOlder)).toBe(shownFirst);
});

test('a forecast tells the retried hooks and what its times are from', () => {
  const durations = { hooks: 0, runs: 0, starts: 0, boots: 0, 'container-starts': 0, 'container-boots': 0 };
  const retried = [{ entity: 'unit web/0', hook: 'start', next: 700 }];
  expect(formatForecast({ ...ofOlder, changed: 90, retried, 'retried-hooks': 2, durations })).toBe(
    shownFirst.replace(
      'After 10m something is still under way.',
      'Nothing else changes after 1m30s, but unit web/0 retries its failed hook start, next after 11m40s, and 1 more failed hook is retried.',
    ) + "Times are assumed: the model's history shows none.\n",
  );
});

test('a forecast tells that suspended starts are tried again, and what its clock times are of', () => {
  const made = {
    ...ofOlder,
    timeline: [{ at: 60, entity: 'model', what: 'starts of machines suspended: next try at 00:02:00Z' }],
    changed: 60,
    retried: [],
    'suspended-starts': { next: 700 },
  };
  const shown = formatForecast(made);
  expect(shown).toContain(
    'Nothing else changes after 1m, but starts of machines, which are suspended, are tried again, next after 11m40s. ',
  );
  expect(shown).toContain('\nClock times are as if it began at 00:00:00Z.\n');
});

test('a forecast that ends early tells how far it came, and what to do', () => {
  const cut = { ...ofOlder, horizon: 3600 };
  expect(formatForecast(cut)).toContain(
    'still under way. The forecast came to 10m of 1h: its real time was used up. A shorter --for is forecast whole. Nothing',
  );
  expect(formatForecast({ ...cut, 'used-up': 'memory', due: { hooks: 1_996_000, until: 3069 } })).toContain(
    'its memory was used up. Units have 1,996,000 hooks of relations to run, until 51m9s or later: fewer units are forecast whole. Nothing',
  );
});

test('a forecast tells how many agents count as connected', () => {
  expect(formatForecast({ ...ofOlder, awaited: 1 })).toBe(
    `${shownFirst}The controller has just started: 1 agent that is not back yet counts as connected.\n`,
  );
  expect(formatForecast({ ...ofOlder, awaited: 0 })).toBe(shownFirst);
});

test('what is stuck since the same time, for which the same must be done, shares both', () => {
  const next = [{ kind: 'operator', name: 'machine 0', task: 'replace it', commands: [] } as const];
  const stuck = (name: string, since: number, actors: readonly (typeof next)[number][] = next) => ({
    entity: name,
    since,
    explained: {
      now: '2026-01-01T00:10:00Z',
      explanation: {
        kind: 'machine',
        id: '0',
        name,
        text: 'lost',
        'waits-for': [],
        more: 0,
        above: false,
      } as const,
      next: [...actors],
      quotas: [],
    },
  });
  const all = [
    stuck('machine 0', 60),
    stuck('unit web/0', 60.2),
    stuck('unit web/1', 90),
    stuck('unit db/0', 90, []),
  ];
  expect(formatForecast({ ...ofOlder, stuck: all, 'stuck-entities': 4 })).toMatch(
    new RegExp(
      [
        '\nSince 1m:\nmachine 0: lost\n\nunit web/0: lost\n\nWho must act:\n  you, for machine 0: replace it\n',
        '\nSince 1m30s:\nunit web/1: lost\n\nWho must act:\n  you, for machine 0: replace it\n',
        '\nSince 1m30s:\nunit db/0: lost\n$',
      ].join(''),
    ),
  );
});
