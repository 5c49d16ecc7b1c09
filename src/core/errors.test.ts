import { expect, test } from 'vitest';
import { JujuError, withoutStacks } from './errors.ts';

const frames = (error: Error): number =>
  (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)).length;

test('JujuErrors made within withoutStacks have no stack; bugs, and errors made later, have one', () => {
  const [juju, bug] = withoutStacks(
    () => [new JujuError('not found', 'no unit'), new TypeError('a bug')] as const,
  );
  expect([juju.message, juju.code, frames(juju)]).toEqual(['no unit', 'not found', 0]);
  expect(frames(bug)).toBeGreaterThan(0);
  expect(() =>
    withoutStacks(() => {
      throw new JujuError('', 'thrown');
    }),
  ).toThrow('thrown');
  expect(frames(new JujuError('', 'later'))).toBeGreaterThan(0);
});
