import { expect, test } from 'vitest';
import { availableVersion, modelVersion, planModelUpgrade } from './upgrade.ts';

const [old, build] = ['a'.repeat(64), 'b'.repeat(64)];
const controller = { version: '3.6.28', agentBuild: build };
const program = { build: old, version: '3.6.26' };
const agents = { changed: 1, others: 0, asked: [], failed: [] };
const plan = (request: object): unknown =>
  planModelUpgrade({ target: '', ignoreAgents: false, controller, ...request });

test.each([
  ['the newest version', '0.0.0', 'already exists', 'no upgrades available'],
  ['no version', '', 'already exists', 'no upgrades available'],
  ['its own version', '3.6.28', 'already exists', 'no upgrades available'],
  [
    'a newer version',
    '3.6.29',
    '',
    'cannot upgrade to a version "3.6.29" greater than that of the controller "3.6.28"',
  ],
  ['an older version', '3.6.9', '', 'downgrade not supported'],
  ['no version at all', 'new', 'not valid', 'invalid version "new"'],
])('a model with the program of its controller is not upgraded to %s', (_, target, code, message) => {
  for (const present of [{ build, version: '3.6.28' }, undefined])
    expect(() => plan({ target, program: present, agents })).toThrow(
      expect.objectContaining({ code, message }),
    );
});

test.each(['', '0.0.0', '3.6.28'])('a model behind its controller is upgraded by version %j', (target) => {
  expect(plan({ target, program, agents })).toEqual({ build, version: '3.6.28' });
});

test.each([
  ['its own version', '3.6.26', 'already exists', 'no upgrades available'],
  ['an older version', '3.6.25', '', 'downgrade not supported'],
  [
    'a version between',
    '3.6.27',
    'not found',
    'no matching agent versions available: this controller has 3.6.28, not 3.6.27',
  ],
])('a model behind its controller is not upgraded to %s', (_, target, code, message) => {
  expect(() => plan({ target, program, agents })).toThrow(expect.objectContaining({ code, message }));
});

test('agents that have not the present program hold an upgrade up, unless they are ignored or it has stopped', () => {
  const behind = { ...agents, others: 2 };
  expect(() => plan({ program, agents: behind })).toThrow(
    expect.objectContaining({
      code: 'upgrade in progress',
      message:
        'some agents have not upgraded to the present program of the model: 1 have it, 2 do not; to upgrade all the same: --ignore-agent-versions',
    }),
  );
  const upgraded = { build, version: '3.6.28' };
  expect(plan({ program, agents: behind, ignoreAgents: true })).toEqual(upgraded);
  const stopped = { ...behind, failed: [{ machine: '0', message: 'it does not load' }] };
  expect(plan({ program, agents: stopped })).toEqual(upgraded);
});

test('a model shows the version of its program, and that of a controller with another one as available', () => {
  expect([modelVersion({ program }, '3.6.28'), availableVersion({ program }, controller)]).toEqual([
    '3.6.26',
    '3.6.28',
  ]);
  expect([modelVersion({}, '3.6.28'), availableVersion({}, controller)]).toEqual(['3.6.28', '']);
  expect(availableVersion({ program: { build, version: '3.6.28' } }, controller)).toBe('');
});
