import { expect, test } from 'vitest';
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { fromWireError, wireError } from './errors.ts';

test('an error is sent with its code and what belongs to it', () => {
  const error = new JujuError('operation is blocked', 'no', { info: { why: 'test' } });
  expect(wireError(error)).toEqual({ message: 'no', code: 'operation is blocked', info: { why: 'test' } });
  expect(fromWireError(wireError(error))).toMatchObject({ message: 'no', code: 'operation is blocked' });
  expect(wireError(new JujuError('', 'plain'))).toEqual({ message: 'plain', code: '' });
});

test('a long text, which quotes a request, is cut', () => {
  const { max } = limits.errorText;
  expect(wireError(new JujuError('', 'x'.repeat(max))).message).toHaveLength(max);
  const { message } = wireError(new JujuError('', `application "${'x'.repeat(max)}" not found`));
  expect(message).toHaveLength(max);
  expect(message).toMatch(/^application "x+…$/);
});
