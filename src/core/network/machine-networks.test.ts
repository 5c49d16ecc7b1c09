import { expect, test } from 'vitest';
import { machineNetworks } from './machine-networks.ts';

const subnets: Readonly<Record<string, readonly string[]>> = {
  alpha: ['10.0.0.0/24'],
  db: ['10.2.0.0/24', '10.1.0.0/24'],
  web: ['10.3.0.0/24'],
  empty: [],
};
const networks = (spaces: readonly string[], ...bindings: Readonly<Record<string, string>>[]) =>
  machineNetworks({
    constraints: { spaces },
    bindings,
    hasSpace: (name) => Object.hasOwn(subnets, name),
    subnetsIn: (name) => subnets[name] ?? [],
  });
const alpha = { name: 'alpha', subnets: ['10.0.0.0/24'] };
const db = { name: 'db', subnets: ['10.1.0.0/24', '10.2.0.0/24'] };
const web = { name: 'web', subnets: ['10.3.0.0/24'] };

test.each([
  ['nothing', [], [], undefined],
  ['bindings to the own space alone', [], [{ '': 'alpha', server: 'alpha' }], undefined],
  ['a constraint to the own space', ['alpha'], [{ '': 'alpha' }], { spaces: [alpha], excluded: [] }],
  ['a constraint', ['db'], [], { spaces: [db], excluded: [] }],
  [
    'a binding beside the own space',
    [],
    [{ '': 'alpha', server: 'db' }],
    { spaces: [alpha, db], excluded: [] },
  ],
  ['a default binding alone', [], [{ '': 'db' }], { spaces: [db], excluded: [] }],
  ['several applications', [], [{ '': 'web' }, { '': 'db' }], { spaces: [db, web], excluded: [] }],
  ['an excluded space', ['^web', 'db'], [], { spaces: [db], excluded: ['10.3.0.0/24'] }],
  [
    'excluded spaces alone',
    ['^web', '^db'],
    [],
    { spaces: [], excluded: ['10.1.0.0/24', '10.2.0.0/24', '10.3.0.0/24'] },
  ],
  [
    'the own space excluded',
    ['^alpha'],
    [{ '': 'alpha', x: 'db' }],
    { spaces: [db], excluded: ['10.0.0.0/24'] },
  ],
  ['a space that is gone', ['gone', '^past'], [], undefined],
])('the networks of a machine whose units ask for %s', (_, spaces, bindings, expected) => {
  expect(networks(spaces, ...bindings)).toEqual(expected);
});

test('a space without subnets is refused, and so is an excluded space that an endpoint is bound to', () => {
  expect(() => networks(['empty'])).toThrow('space "empty" has no subnets: reload-spaces asks the cloud');
  expect(() => networks(['^db'], { '': 'db' })).toThrow(
    'negative space constraint "db" conflicts with endpoint bindings',
  );
});
