import { expect, test } from 'vitest';
import { defined } from '../defined.ts';
import { limits } from '../limits.ts';
import {
  conditionOf,
  batchSize,
  charmOfUnit,
  checkRolling,
  isHeld,
  isUpgraded,
  nextModifiedVersion,
} from './rollout.ts';

const request = { maxUnavailable: '', waitFor: '', pauseAfterCanary: false };

test('a roll-out upgrades one unit at a time and waits until it is active, unless told otherwise', () => {
  expect(checkRolling(request)).toEqual({ maxUnavailable: '1', waitFor: 'active', pauseAfterCanary: false });
  const asked = { maxUnavailable: '025%', waitFor: 'workload-status=="waiting"', pauseAfterCanary: true };
  expect(checkRolling(asked)).toEqual({ ...asked, maxUnavailable: '25%' });
});

test.each(['0', '-1', '0%', '101%', 'all', '1.5', '1 %', '9999999'])(
  '--max-unavailable %s is refused',
  (text) => {
    expect(() => checkRolling({ ...request, maxUnavailable: text })).toThrow(
      `cannot parse --max-unavailable "${text}": expected 1 or more, or 1% to 100%`,
    );
  },
);

test('the condition of a roll-out is an expression of limited length', () => {
  expect(() => checkRolling({ ...request, waitFor: 'idle' })).toThrow('cannot parse "idle" in --wait-for');
  const most = `name=="${'a'.repeat(limits.rolloutCondition.max - 'name==""'.length)}"`;
  expect(checkRolling({ ...request, waitFor: most }).waitFor).toBe(most);
  expect(() => checkRolling({ ...request, waitFor: `${most}x` })).toThrow('condition of a roll-out');
});

test('the condition of a roll-out that only older versions accepted is never met', () => {
  expect(conditionOf('workload-status==active')({ 'workload-status': 'active' })).toBe(false);
});

test.each([
  ['1', 10, 1],
  ['4', 10, 4],
  ['25%', 10, 2],
  ['5%', 10, 1],
  ['100%', 10, 10],
  ['100%', 20_000, 1_000],
  ['1', 0, 1],
])('--max-unavailable %s of %i units is a batch of %i', (text, units, size) => {
  expect(batchSize(text, units)).toBe(size);
});

test.each([
  ['without a roll-out it is the application’s', undefined, undefined, 'local:db-2'],
  ['a unit that is not released keeps its own', {}, undefined, 'local:db-1'],
  ['a released unit takes the application’s', {}, 'local:db-2', 'local:db-2'],
  ['a release to another charm does not count', {}, 'local:db-3', 'local:db-1'],
])('the charm of a unit in a roll-out: %s', (_, rollout, released, charm) => {
  const unit = { charmUrl: 'local:db-1', ...defined({ released }) };
  expect(charmOfUnit({ ...defined({ rollout }), charmUrl: 'local:db-2' }, unit)).toBe(charm);
});

const resources = { resources: { names: ['dump'], leaves: [1] } };
test.each([
  ['one with another version is held', resources, 1, undefined, true],
  ['one that is released is not held', 'resources', 1, 'local:db-2', false],
  ['one that has taken them is not held', 'resources', 2, undefined, false],
  ['one that was added since is not held', resources, undefined, undefined, false],
  ['versions are nothing to a roll-out of a charm', true, 1, undefined, false],
  ['versions are nothing without a roll-out', undefined, 1, undefined, false],
] as const)('a unit in a roll-out of resources: %s', (_, rollout, version, released, isKept) => {
  const application = { charmUrl: 'local:db-2', charmModifiedVersion: 2, ...defined({ rollout }) };
  const unit = { charmUrl: 'local:db-2', ...defined({ charmModifiedVersion: version, released }) };
  expect(isHeld(application, unit)).toBe(isKept);
  expect(isUpgraded(application, unit)).toBe(version !== 1 || rollout === true || rollout === undefined);
});

test('a charmModifiedVersion is never used twice, also after a rollback', () => {
  expect(nextModifiedVersion({})).toBe(1);
  expect(nextModifiedVersion({ charmModifiedVersion: 4 })).toBe(5);
  expect(nextModifiedVersion({ charmModifiedVersion: 4, highestModifiedVersion: 6 })).toBe(7);
});
