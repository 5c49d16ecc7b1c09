import { describe, expect, test } from 'vitest';
import type { Role } from '../core/charm/metadata.ts';
import { counterparts, type ScopeMember } from './counterparts.ts';

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
  test('a peer sees the other peers', () => {
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
  test('a subordinate sees, of another subordinate, only the unit on its own principal', () => {
    const members = [member('nagios/0', 'provider', 'w/0'), member('nagios/1', 'provider', 'w/1')];
    expect(sees(member('log/0', 'requirer', 'w/0'), ...members)).toEqual(['nagios/0']);
    expect(sees(member('log/1', 'requirer', 'w/1'), ...members)).toEqual(['nagios/1']);
    expect(sees(member('log/2', 'requirer', 'm/0'), ...members)).toEqual([]);
  });
  test('a departing unit is not seen', () => {
    expect(sees(member('w/0', 'requirer'), member('m/0', 'provider', '', true))).toEqual([]);
  });
});
