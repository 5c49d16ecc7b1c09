import { expect, test } from 'vitest';
import { agentUpgrade, nextStep, programChange } from './program.ts';

const wanted = { build: 'new', attempt: 1 };
const failure = (attempt: number, build = 'new') => ({ build, attempt, message: 'why' });

test.each([
  ['nothing was asked', { program: { build: 'old' } }, undefined],
  ['it has what was asked for', { program: { build: 'new' }, programWanted: wanted }, undefined],
  ['it was asked', { program: { build: 'old' }, programWanted: wanted }, 'asked'],
  ['it was asked, and reports no program', { programWanted: wanted }, 'asked'],
  ['it failed', { program: { build: 'old', failed: failure(1) }, programWanted: wanted }, 'failed'],
  [
    'it failed before it was asked again',
    { program: { build: 'old', failed: failure(0) }, programWanted: wanted },
    'asked',
  ],
  [
    'another build failed',
    { program: { build: 'old', failed: failure(1, 'other') }, programWanted: wanted },
    'asked',
  ],
])('%s', (_, machine, state) => {
  expect(programChange(machine)).toBe(state);
});

test.each([
  ['the first goes alone', { changed: 0, asked: 0, failed: 0 }, 1],
  ['the others wait for it', { changed: 0, asked: 1, failed: 0 }, 0],
  ['then five at a time', { changed: 1, asked: 0, failed: 0 }, 5],
  ['as some come up', { changed: 3, asked: 3, failed: 0 }, 2],
  ['none after a failure', { changed: 9, asked: 0, failed: 1 }, 0],
  ['none when more were asked under another rule', { changed: 1, asked: 7, failed: 0 }, 0],
])('%s', (_, counts, step) => {
  expect(nextStep(counts)).toBe(step);
});

test('how far the agents of a model are', () => {
  const machine = (id: string, rest: object) => ({ id, life: 'alive' as const, ...rest });
  const machines = [
    machine('0', { program: { build: 'new' } }),
    machine('1', { program: { build: 'old' } }),
    machine('2', { program: { build: 'old' }, programWanted: wanted }),
    machine('3', { program: { build: 'old', failed: failure(1) }, programWanted: wanted }),
    machine('4', { program: { build: 'old' }, programWanted: { build: 'other', attempt: 0 } }),
    machine('5', {}),
    { ...machine('6', { program: { build: 'old' } }), life: 'dead' as const },
  ];
  expect(agentUpgrade(machines, 'new')).toEqual({
    changed: 1,
    others: 4,
    asked: ['2'],
    failed: [{ machine: '3', message: 'why' }],
  });
});
