import { expect, test } from 'vitest';
import { errorsIn, wrongWith } from './error-texts.ts';

test.each([
  ['machine "3" not found', 'not found'],
  ['"x" is not a valid tag', ''],
  ['json: cannot unmarshal number into Go struct field a of type string', ''],
])('%s is an error for people', (message, code) => {
  expect(wrongWith({ message, code })).toBeUndefined();
});

test.each([
  ['', '', 'no text'],
  ['gone', 'lost', 'unknown'],
  ['internal error', '', 'internal'],
  ['unit undefined not found', '', 'undefined'],
  ['model "[object Object]" not found', '', 'object'],
  ['x\n    at dispatch (/app/dispatch.ts:3:1)', '', 'at '],
  ["Cannot read properties of null (reading 'a')", '', 'annot'],
  ['call.read is not a function', '', 'function'],
  ["ENOENT: no such file or directory, open '/x'", '', 'NOENT'],
  ['UNIQUE constraint failed: SQLITE_CONSTRAINT', '', 'SQLITE'],
  ['cannot open /var/lib/controller/store.db', '', 'internal path'],
  ['x'.repeat(20_000), '', 'characters'],
])('%.50s is no error for people', (message, code, reason) => {
  expect(wrongWith({ message, code }, ['/var/lib/controller'])).toContain(reason);
});

test('errors are found at any depth of an answer', () => {
  const error = (message: string) => ({ message, code: 'not found' });
  const answer = { results: [{ error: error('a') }, { result: { inner: [{ error: error('b') }] } }, null] };
  expect([...errorsIn(answer)].map(({ message }) => message)).toEqual(['a', 'b']);
  expect([...errorsIn({ error: error('c') })]).toHaveLength(1);
  expect([...errorsIn({ error: 'text', message: 'not one' })]).toEqual([]);
});
