import { expect, test } from 'vitest';
import {
  attemptOf,
  isActive,
  isFrozen,
  isMoved,
  mayFollow,
  mayWork,
  migrationId,
  phaseText,
  type Phase,
} from './phases.ts';

const phases: readonly Phase[] = [
  'QUIESCE',
  'IMPORT',
  'VALIDATION',
  'SUCCESS',
  'REAP',
  'DONE',
  'ABORT',
  'ABORTDONE',
];

test('phases follow each other, and none after the success is taken back', () => {
  const follows = phases.flatMap((from) =>
    phases.filter((to) => mayFollow(from, to)).map((to) => `${from} ${to}`),
  );
  expect(follows).toEqual([
    'QUIESCE IMPORT',
    'QUIESCE ABORT',
    'IMPORT VALIDATION',
    'IMPORT ABORT',
    'VALIDATION SUCCESS',
    'VALIDATION ABORT',
    'SUCCESS REAP',
    'REAP DONE',
    'ABORT ABORTDONE',
  ]);
});

test('workers act on a model that neither leaves nor has left', () => {
  expect(phases.filter((phase) => mayWork({ phase }))).toEqual(['ABORT', 'ABORTDONE']);
  expect(mayWork(undefined)).toBe(true);
  expect(phases.filter((phase) => !isActive({ phase }))).toEqual(['DONE', 'ABORTDONE']);
  expect(phases.filter((phase) => isMoved({ phase }))).toEqual(['SUCCESS', 'REAP', 'DONE']);
  expect([isActive(undefined), isMoved(undefined), isFrozen(undefined)]).toEqual([false, false, false]);
});

test('a migration that was given up says why', () => {
  expect(phaseText({ phase: 'ABORT', message: 'no room' })).toBe('aborted, no room');
  expect(phaseText({ phase: 'IMPORT', message: 'importing' })).toBe('importing');
  expect(migrationId({ model: 'u', attempt: 2 })).toBe('u:2');
  expect(['u:12', 'u:', 'u:99999999999', ''].map(attemptOf)).toEqual([12, -1, -1, -1]);
});
