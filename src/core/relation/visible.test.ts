import { describe, expect, test } from 'vitest';
import type { Role } from '../charm/metadata.ts';
import { containerOf, counterparts, takesPart, type ScopeMember } from './visible.ts';

const member = (unit: string, role: Role, container = '', departing = false): ScopeMember => ({
  unit,
  role,
  container,
  departing,
});

describe('counterparts', () => {
  const sees = (self: ScopeMember, ...members: ScopeMember[]) =>
    counterparts(self, [self, ...members]).map(({ unit }) => unit);

  test('a requirer sees providers only', () => {
    expect(sees(member('w/0', 'requirer'), member('w/1', 'requirer'), member('m/0', 'provider'))).toEqual([
      'm/0',
    ]);
  });
  test('a provider sees requirers only', () => {
    expect(sees(member('m/0', 'provider'), member('w/0', 'requirer'), member('m/1', 'provider'))).toEqual([
      'w/0',
    ]);
  });
  test('a peer sees the others', () => {
    expect(sees(member('e/0', 'peer'), member('e/1', 'peer'), member('e/2', 'peer'))).toEqual(['e/1', 'e/2']);
  });
  test('a subordinate sees its principal only', () => {
    expect(
      sees(
        member('log/0', 'requirer', 'w/0'),
        member('w/0', 'provider', 'w/0'),
        member('w/1', 'provider', 'w/1'),
      ),
    ).toEqual(['w/0']);
  });
  test('a subordinate sees of another the unit on its own principal only', () => {
    const members = [member('nagios/0', 'provider', 'w/0'), member('nagios/1', 'provider', 'w/1')];
    expect(sees(member('log/0', 'requirer', 'w/0'), ...members)).toEqual(['nagios/0']);
    expect(sees(member('log/1', 'requirer', 'w/1'), ...members)).toEqual(['nagios/1']);
    expect(sees(member('log/2', 'requirer', 'm/0'), ...members)).toEqual([]);
  });
  test('a departing unit is not seen', () => {
    expect(sees(member('w/0', 'requirer'), member('m/0', 'provider', '', true))).toEqual([]);
  });
});

test("containerOf is the principal's unit", () => {
  expect(containerOf({ name: 'w/0' }, 'container')).toBe('w/0');
  expect(containerOf({ name: 'log/0', principal: 'w/0' }, 'container')).toBe('w/0');
  expect(containerOf({ name: 'log/0', principal: 'w/0' }, 'global')).toBe('');
});

test.each([
  ['a principal', { scope: 'container' }, true],
  ['a subordinate with its principal', { scope: 'container', principalApplication: 'wordpress' }, true],
  ['a subordinate with another principal', { scope: 'container', principalApplication: 'mysql' }, false],
  [
    'a subordinate with a subordinate',
    { scope: 'container', principalApplication: 'mysql', remoteSubordinate: true },
    true,
  ],
  ['a subordinate in a global relation', { scope: 'global', principalApplication: 'mysql' }, true],
] as const)('%s takes part in a relation of its application: %j %s', (_, unit, expected) => {
  expect(takesPart({ remoteApplication: 'wordpress', remoteSubordinate: false, ...unit })).toBe(expected);
});
