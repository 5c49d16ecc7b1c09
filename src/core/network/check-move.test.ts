import { expect, test } from 'vitest';
import { concernsMove, problemsOfMove } from './check-move.ts';

const application = (constraints: { spaces?: string[] }, endpointBindings: Record<string, string>) => ({
  name: 'app',
  constraints,
  endpointBindings,
});
const unit = (name: string, before: string[], after: string[]) => ({
  name,
  before: new Set(before),
  after: new Set(after),
});
const bound = application({}, { '': 'alpha', data: 'db' });
const constrained = application({ spaces: ['db'] }, { '': 'alpha' });
const excluding = application({ spaces: ['^web'] }, { '': 'alpha' });

test('a move of subnets concerns an application that asks for their space, or excludes the space that they move to', () => {
  expect(concernsMove(bound, new Set(['db']), 'web')).toBe(true);
  expect(concernsMove(constrained, new Set(['db']), 'web')).toBe(true);
  expect(concernsMove(bound, new Set(['alpha']), 'web')).toBe(false);
  expect(concernsMove(excluding, new Set(['alpha']), 'web')).toBe(true);
  expect(concernsMove(excluding, new Set(['web']), 'alpha')).toBe(false);
});

test.each([
  ['a bound unit loses its space', bound, unit('app/0', ['db'], ['web']), 'endpoint binding data:db'],
  [
    'a constrained one does',
    constrained,
    unit('app/0', ['db'], ['web']),
    'space constraints for application',
  ],
  ['a bound unit keeps another address', bound, unit('app/0', ['db'], ['db', 'web']), undefined],
  ['a unit was never connected', bound, unit('app/0', ['alpha'], ['web']), undefined],
  ['a unit comes into a space it excludes', excluding, unit('app/0', ['alpha'], ['web']), ': ^web'],
])('a move of subnets: %s', (_name, asking, moved, problem) => {
  const problems = problemsOfMove(asking, [moved], 'web');
  expect(problems).toHaveLength(problem === undefined ? 0 : 1);
  if (problem !== undefined) expect(problems[0]).toContain(problem);
});

test('the error of a refused move names the space, the binding and the units, of many units the first ones', () => {
  const units = Array.from({ length: 22 }, (_, n) => unit(`app/${n}`, ['db'], ['web']));
  expect(problemsOfMove(bound, units.slice(0, 2), 'web')).toEqual([
    'moving subnet(s) to space "web" violates endpoint binding data:db for application "app"\n' +
      '\tunits not connected to the space: app/0, app/1',
  ]);
  expect(problemsOfMove(bound, units, 'web')[0]).toMatch(/app\/19, and 2 more$/);
});
