import { expect, test } from 'vitest';
import { declares, type Change } from './declared-change.ts';

const unit = (life: string, more: object = {}) => ({ name: 'web/0', life, ...more });

test.each<[string, string, Change, boolean]>([
  ['a user who deploys', 'user-bob', { kind: 'application', after: {} }, true],
  ['a user who sets an option', 'user-bob', { kind: 'application', before: {}, after: {} }, true],
  ['a user who changes the model', 'user-bob', { kind: 'model', before: {}, after: {} }, true],
  ['a user who adds a unit', 'user-bob', { kind: 'unit', after: unit('alive') }, true],
  [
    'a user who removes a unit',
    'user-bob',
    { kind: 'unit', before: unit('alive'), after: unit('dying') },
    true,
  ],
  ['a user who removes a unit without a machine', 'user-bob', { kind: 'unit', before: unit('alive') }, true],
  [
    'a user who resolves a unit',
    'user-bob',
    { kind: 'unit', before: unit('alive'), after: unit('alive', { resolved: 'retry-hooks' }) },
    false,
  ],
  ['the end of a removal that was forced', 'user-bob', { kind: 'unit', before: unit('dying') }, false],
  ['a user who runs an action', 'user-bob', { kind: 'task', after: {} }, false],
  [
    'an agent that reports',
    'machine-0',
    { kind: 'unit', before: unit('alive'), after: unit('alive') },
    false,
  ],
  ['an agent that removes its dead unit', 'machine-0', { kind: 'unit', before: unit('dead') }, false],
  ['a worker that places a unit', 'unit placer', { kind: 'machine', after: { life: 'alive' } }, false],
])('a plan is stale after %s', (_, by, change, stale) => {
  expect(declares(by, change)).toBe(stale);
});
