import { describe, expect, test } from 'vitest';
import { chooseRootKey, isExpired, rootKeyEnd } from './choose.ts';
import type { RootKeyDoc } from './document.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const key = (id: string, minutes: number): RootKeyDoc => ({
  id,
  sealedKey: '',
  createdAt: '',
  expiresAt: new Date(now + minutes * minute).toISOString(),
});

describe('chooseRootKey', () => {
  test.each<[string, readonly RootKeyDoc[], string | undefined]>([
    ['no key', [], undefined],
    ['a key that ends before the macaroon', [key('a', 2)], undefined],
    ['a key that ends with the macaroon', [key('a', 3)], 'a'],
    ['keys of which the last to end is neither first nor last', [key('a', 5), key('b', 9), key('c', 7)], 'b'],
    ['keys that have expired', [key('a', -5), key('b', 0)], undefined],
  ])('chooseRootKey chooses among %s', (_what, keys, expected) => {
    expect(chooseRootKey(keys, { now, validMs: 3 * minute })?.id).toBe(expected);
  });

  test('a new root key mints macaroons for an hour, and is kept until the last of these macaroons has expired', () => {
    const end = rootKeyEnd({ now, validMs: 3 * minute });
    const fresh = key('a', (end - now) / minute);
    expect(chooseRootKey([fresh], { now: now + 60 * minute, validMs: 3 * minute })).toBe(fresh);
    expect(chooseRootKey([fresh], { now: now + 60 * minute + 1, validMs: 3 * minute })).toBeUndefined();
    expect([isExpired(fresh, end - 1), isExpired(fresh, end)]).toEqual([false, true]);
  });
});
