import { expect, test } from 'vitest';
import { ValueGone } from '../value-gone.ts';
import { describeChange } from './describe-change.ts';
import type { PastNames } from './event.ts';
import type { PastChange } from './past-change.ts';
import { shown, toldOf } from './values.ts';

test('a value that is no longer stored is shown by its size and hash, a long value by its size', () => {
  const gone = { hash: 'abc', size: 9000 };
  const tell = (): string[] => {
    throw new ValueGone(gone);
  };
  expect(toldOf('config changed', tell)).toEqual([
    'config changed (a value of 9000 bytes (sha256 abc) is no longer kept)',
  ]);
  expect(shown('x'.repeat(9000))).toBe(`${'x'.repeat(60)}… (9000 characters)`);
  const application = { subject: 'settings 1#a/0', what: expect.stringContaining('sha256 abc') as string };
  const before = Object.defineProperty({ relation: '1', owner: 'a/0', version: 1 }, 'values', { get: tell });
  const after = { relation: '1', owner: 'a/0', values: {}, version: 2 };
  const change = { kind: 'settings', id: '1#a/0', before, after } as unknown as PastChange;
  expect(describeChange(change, {} as PastNames)).toEqual([{ ...application, detail: '', about: [] }]);
});
