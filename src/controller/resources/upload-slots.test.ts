import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { UploadSlots } from './upload-slots.ts';

test('a user has some of the slots for uploads, and leaves the others to other users', () => {
  const slots = new UploadSlots();
  const refused = { code: 'quota limit exceeded' };
  const ends = Array.from({ length: limits.resourceUploadsOfUser.max }, () => slots.take('a'));
  expect(() => slots.take('a')).toThrow(expect.objectContaining(refused) as Error);
  for (let n = ends.length; n < limits.resourceUploads.max; n++) slots.take(`user-${n}`);
  expect(() => slots.take('b')).toThrow(expect.objectContaining(refused) as Error);
  ends[0]!();
  slots.take('b');
  expect(() => slots.take('a')).toThrow(expect.objectContaining(refused) as Error);
});
