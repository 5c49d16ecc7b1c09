import { expect, test } from 'vitest';
import { readControllerSettings } from './config.ts';

test.each([
  ['a number', 'max-model-size', 1024, 1024],
  ['a number as text', 'agent-ratelimit-max', '20', 20],
  ['a boolean', 'auditing-enabled', false, false],
  ['a boolean as text', 'query-tracing-enabled', 'true', true],
  ['a size', 'model-logs-size', '40M', '40M'],
  ['a duration', 'max-debug-log-duration', '1h', '1h'],
  ['a list', 'features', ['a', 'b'], ['a', 'b']],
  [
    'a list as text',
    'audit-log-exclude-methods',
    'ReadOnlyMethods, Pinger.Ping',
    ['ReadOnlyMethods', 'Pinger.Ping'],
  ],
  ['a text', 'public-dns-address', 'ctrl.example.com', 'ctrl.example.com'],
])('the setting is %s', (_, key, value, stored) => {
  expect(readControllerSettings({ [key]: value })).toEqual({ [key]: stored });
});

test.each([
  ['unknown', 'colour', 'red', 'unknown controller config setting "colour"'],
  ['a member of all objects', 'constructor', 'x', 'unknown controller config setting "constructor"'],
  ['decided by bootstrap', 'api-port', 17071, `can't change "api-port" after bootstrap`],
  ['not supported', 'juju-ha-space', 'x', 'controller config setting "juju-ha-space" not supported'],
  [
    'no number',
    'max-model-size',
    '1G',
    'max-model-size: expected a whole number that is not negative, got "1G"',
  ],
  ['negative', 'max-model-size', -1, 'max-model-size: expected a whole number that is not negative, got -1'],
  ['no boolean', 'auditing-enabled', 'maybe', 'auditing-enabled: expected a boolean, got "maybe"'],
  ['no size', 'model-logs-size', 5, 'model-logs-size: expected a size such as 100M, got 5'],
  ['no duration', 'max-debug-log-duration', 'long', 'invalid duration "long"'],
  [
    'a rate of 0',
    'agent-ratelimit-rate',
    '0s',
    'agent-ratelimit-rate: expected a duration above 0 of at most 1m, got "0s"',
  ],
  [
    'a rate above a minute',
    'agent-ratelimit-rate',
    '61s',
    'agent-ratelimit-rate: expected a duration above 0 of at most 1m, got "61s"',
  ],
  ['a list of others', 'features', [1], 'features: expected a list of words, got [1]'],
  ['no text', 'mongo-memory-profile', 3, 'mongo-memory-profile: expected a text, got 3'],
])('the setting is refused: %s', (_, key, value, message) => {
  expect(() => readControllerSettings({ [key]: value })).toThrow(message);
});
