import { expect, test } from 'vitest';
import {
  durationSetting,
  isControllerSetting,
  numberSetting,
  readControllerSettings,
  readFirstSettings,
  sizeSetting,
  withInitialValues,
} from './config.ts';

test.each([
  ['a number', 'max-model-size', 1024, 1024],
  ['a number as text', 'agent-ratelimit-max', '20', 20],
  ['a boolean', 'auditing-enabled', false, false],
  ['a boolean as text', 'audit-log-capture-args', 'true', true],
  ['one that only has its initial value', 'query-tracing-enabled', 'false', false],
  ['no space', 'juju-ha-space', '', ''],
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
])('a controller setting is accepted: %s', (_, key, value, stored) => {
  expect(readControllerSettings({ [key]: value })).toEqual({ [key]: stored });
});

test.each([
  ['unknown', 'colour', 'red', 'unknown controller config setting "colour"'],
  ['a member of all objects', 'constructor', 'x', 'unknown controller config setting "constructor"'],
  ['decided by bootstrap', 'api-port', 17071, `can't change "api-port" after bootstrap`],
  ['not supported', 'juju-ha-space', 'x', 'controller config setting "juju-ha-space" not supported'],
  [
    'tracing, which there is not',
    'query-tracing-enabled',
    true,
    'controller config setting "query-tracing-enabled" not supported',
  ],
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
])('a controller setting is refused: %s', (_, key, value, message) => {
  expect(() => readControllerSettings({ [key]: value })).toThrow(message);
});

test('a setting without a value has its initial value, and every initial value may be set', () => {
  const initial = withInitialValues({ 'api-port': 17071, 'max-model-size': 1 });
  expect(initial).toMatchObject({
    'api-port': 17071,
    'max-model-size': 1,
    'auditing-enabled': true,
    'audit-log-exclude-methods': ['ReadOnlyMethods'],
    'max-debug-log-duration': '24h0m0s',
  });
  const { 'api-port': _, ...changeable } = initial;
  expect(readControllerSettings(changeable)).toEqual(changeable);
});

test('controller settings are read as numbers, milliseconds and bytes', () => {
  expect(numberSetting({}, 'audit-log-max-backups')).toBe(10);
  expect(durationSetting({ 'agent-ratelimit-rate': '2s' }, 'agent-ratelimit-rate')).toBe(2000);
  expect(sizeSetting({}, 'model-logs-size')).toBe(20 * 1024 * 1024);
});

test('settings given at bootstrap are read by their types, and unknown settings are refused', () => {
  const read = (values: Record<string, unknown>): unknown => readFirstSettings(values, (value) => value);
  expect(read({ 'api-port': 17071, 'max-model-size': '5', 'identity-url': '' })).toEqual({
    'api-port': 17071,
    'max-model-size': 5,
    'identity-url': '',
  });
  expect(() => read({ 'identity-url': 'https://x' })).toThrow(
    'controller config setting "identity-url" not supported',
  );
  expect(() => read({ 'allow-model-access': true })).toThrow('not supported');
  expect(() => read({ 'max-model-size': 'x' })).toThrow('expected a whole number');
  expect(['api-port', 'audit-log-max-size', 'charmhub-url', 'toString'].map(isControllerSetting)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
