import { expect, test } from 'vitest';
import * as names from './names.ts';

const cases: [keyof typeof names & `is${string}`, string[], string[]][] = [
  [
    'isApplicationName',
    ['mysql', 'a', 'my-sql', 'k8s', 'mysql-2a', 'a1-b'],
    ['', 'MySQL', '1a', 'mysql-1', 'a-', '-a', 'a_b', 'a/0'],
  ],
  ['isUnitName', ['mysql/0', 'my-sql/10'], ['mysql', 'mysql/', 'mysql/01', 'mysql/-1', 'mysql/0/1', '/0']],
  [
    'isMachineId',
    ['0', '10', '0/lxd/1', '0/lxd/1/kvm/2'],
    ['', '01', '-1', '0/lxd', 'lxd', '0/1', '0/LXD/1'],
  ],
  ['isModelName', ['default', '1', 'a-b-', '0x'], ['', '-a', 'A', 'a_b', 'a/b']],
  ['isEndpointName', ['db', 'db-admin', 'db_admin', 'a1-2'], ['', 'Db', '1db', 'db-', 'db--x']],
  ['isSpaceName', ['alpha', 'a-b', '1'], ['', 'a_b', 'A', '-a', 'a--b']],
  ['isReservedName', ['juju', 'juju-info'], ['jujube', 'info', 'my-juju-x']],
];

for (const [check, good, bad] of cases) {
  test.each(good)(`${check} accepts %j`, (text) => expect(names[check](text)).toBe(true));
  test.each(bad)(`${check} rejects %j`, (text) => expect(names[check](text)).toBe(false));
}

test('the name of a unit contains the name of its application', () => {
  expect(names.unitApplication('my-sql/12')).toBe('my-sql');
});

test('names are sorted in natural order', () => {
  expect(
    ['mysql/10', 'mysql/2', 'a/3', '10', '9', '0/lxd/10', '0/lxd/9', '0'].sort(names.compareNames),
  ).toEqual(['0', '0/lxd/9', '0/lxd/10', '9', '10', 'a/3', 'mysql/2', 'mysql/10']);
});
