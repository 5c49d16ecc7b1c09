import { expect, test } from 'vitest';
import { failedHookOf, hookFailed, hookIsMissing, hookRan, ranHookOf } from './hook-log.ts';

test('the log of a hook tells which program ran it, and how it ended', () => {
  expect(hookRan('install')).toBe('ran "install" hook (via explicit, bespoke hook script)');
  expect(hookRan('start', 'dispatch')).toBe('ran "start" hook (via hook dispatching script: dispatch)');
  expect(hookIsMissing('stop')).toBe('skipped "stop" hook (missing)');
  expect(hookFailed('db-relation-joined', 'exit status 1', 'dispatch')).toBe(
    'hook "db-relation-joined" (via hook dispatching script: dispatch) failed: exit status 1',
  );
});

test.each([
  [hookRan('install'), 'install', undefined],
  [hookRan('db-relation-joined', 'dispatch'), 'db-relation-joined', undefined],
  [hookFailed('install', 'exit status 1'), undefined, 'install'],
  [hookIsMissing('install'), undefined, undefined],
  ['a charm says: ran "install" hook (via me)', undefined, undefined],
])('the message %s is read as of the hook that ran (%s) or failed (%s)', (message, ran, failed) => {
  expect(ranHookOf(message)).toBe(ran);
  expect(failedHookOf(message)).toBe(failed);
});
