import { expect, test } from 'vitest';
import type { Bundle } from '../bundle/bundle.ts';
import { applied, emptyLive, planFile } from '../../testing/model-file/world.ts';
import { newlyBoundBy } from './bound-spaces.ts';

type Bindings = Bundle['applications'][string]['bindings'];

const bound = (has: Bindings, ...changes: Bindings[]): string[] => {
  const file = { applications: { db: { charm: './mysql' } } };
  const { state } = applied(emptyLive, planFile(file, emptyLive)).bundle;
  const applications = { db: { ...state.applications['db']!, bindings: has } };
  const steps = changes.map((bindings) => ({ kind: 'bind', application: 'db', bindings }) as const);
  return newlyBoundBy(steps, { ...state, applications }).map(
    ({ application, endpoint, space }) => `${application}:${endpoint} ${space}`,
  );
};

test.each<[string, Bindings, Bindings[], string[]]>([
  ['an endpoint in another space', {}, [{ db: 'dmz' }], ['db:db dmz']],
  [
    'the default of all, which moves with it what has no other',
    { db: 'dmz' },
    [{ '': 'data' }],
    ['db: data'],
  ],
  ['an endpoint that follows a new default', { '': 'dmz', db: 'alpha' }, [{ db: '' }], ['db:db dmz']],
  ['nothing in the space that it has', { db: 'dmz' }, [{ db: 'dmz' }], []],
  ['nothing in the space of the model', { '': 'dmz' }, [{ '': 'alpha' }], []],
  ['each change once', {}, [{ db: 'dmz' }, { db: 'dmz', '': 'data' }], ['db:db dmz', 'db: data']],
])('a plan binds %s', (_, has, changes, result) => {
  expect(bound(has, ...changes)).toEqual(result);
});

test('bindings that go are bindings to the space that then holds', () => {
  const file = { applications: { db: { charm: './mysql' } } };
  const { state } = applied(emptyLive, planFile(file, emptyLive)).bundle;
  const step = { kind: 'reset-bindings', application: 'db', bindings: { db: 'dmz' } } as const;
  expect(newlyBoundBy([step], state)).toEqual([{ application: 'db', endpoint: 'db', space: 'dmz' }]);
});
