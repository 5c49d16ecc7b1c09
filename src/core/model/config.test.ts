import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelConfigSchema } from './config-schema.ts';
import {
  checkModelConfigChange,
  mergedModelConfig,
  parseModelConfig,
  type ModelConfigValue,
} from './config.ts';

test('every default is a valid value of its key', () => {
  const merged = mergedModelConfig({});
  const withDefault = Object.keys(modelConfigSchema).filter(
    (key) => modelConfigSchema[key]!.default !== undefined,
  );
  expect(Object.keys(merged).sort()).toEqual(withDefault.sort());
  expect(merged).toMatchObject({
    'automatically-retry-hooks': true,
    'update-status-hook-interval': '5m',
    'num-provision-workers': 16,
    'firewall-mode': 'instance',
    'resource-tags': {},
    'logging-config': '<root>=INFO',
  });
});

test("the model's own values override the defaults", () => {
  expect(mergedModelConfig({ 'update-status-hook-interval': '10m', mine: 1 })).toMatchObject({
    'update-status-hook-interval': '10m',
    mine: 1,
  });
});

test("a provider's keys are read by its schema", () => {
  const provider = { limit: { type: 'int', description: '', default: 5 } } as const;
  expect(mergedModelConfig({}, provider)['limit']).toBe(5);
  expect(parseModelConfig({ limit: '7' }, provider)).toEqual({ config: { limit: 7 }, unknown: [] });
});

test('the configuration of a stored model is merged once, and again with the settings of its cloud', () => {
  const own = Object.freeze({ 'update-status-hook-interval': '10m' });
  const merged = mergedModelConfig(own);
  expect(mergedModelConfig(own)).toBe(merged);
  const provider = { limit: { type: 'int', description: 'of the cloud', default: 5 } } as const;
  expect(mergedModelConfig(own, provider)).toEqual({ ...merged, limit: 5 });
});

test('unknown keys of model configuration are kept and listed', () => {
  expect(parseModelConfig({ favourite: 'blue', constructor: 'x' })).toEqual({
    config: { favourite: 'blue', constructor: 'x' },
    unknown: ['favourite', 'constructor'],
  });
});

describe('values of model configuration', () => {
  test.each<[string, unknown, ModelConfigValue]>([
    ['development', 'true', true],
    ['development', false, false],
    ['num-provision-workers', '3', 3],
    ['num-provision-workers', 100, 100],
    ['default-base', 'ubuntu@24.04', 'ubuntu@24.04'],
    ['default-base', '', ''],
    ['egress-subnets', '10.0.0.0/8, fd00::/8', '10.0.0.0/8, fd00::/8'],
    ['logging-config', '<root>=INFO;unit=debug', '<root>=INFO;unit=debug'],
    ['max-status-history-size', '512M', '512M'],
    ['update-status-hook-interval', '1m', '1m'],
    ['resource-tags', 'a=b c=d=e', { a: 'b', c: 'd=e' }],
    ['resource-tags', { a: 'b' }, { a: 'b' }],
    ['mode', 'requires-prompts,strict', 'requires-prompts,strict'],
    ['mode', '[strict]', '[strict]'],
    ['mode', '[]', '[]'],
    ['mode', ['strict', 'requires-prompts'], 'strict,requires-prompts'],
    ['mode', '', ''],
    ['container-networking-method', '', ''],
  ])('%s %j is %j', (key, given, value) => {
    expect(parseModelConfig({ [key]: given })).toEqual({ config: { [key]: value }, unknown: [] });
  });

  test.each<[string, unknown, string]>([
    ['development', 'maybe', 'development: expected bool, got "maybe"'],
    ['development', null, 'development: expected bool, got null'],
    ['num-provision-workers', 'many', 'num-provision-workers: expected int, got "many"'],
    ['num-provision-workers', 0, 'num-provision-workers: 0 cannot be less than 1'],
    ['num-provision-workers', 101, 'num-provision-workers: 101 cannot be greater than 100'],
    ['http-proxy', 5, 'http-proxy: expected string, got 5'],
    ['firewall-mode', 'open', 'firewall-mode: expected one of [instance global none], got "open"'],
    ['mode', '[boom]', 'mode: expected one of [requires-prompts strict], got "boom"'],
    ['mode', 'lazy', 'mode: expected one of [requires-prompts strict], got "lazy"'],
    ['default-base', 'noble', `expected base string to contain os and channel separated by '@', got "noble"`],
    ['ssh-allow', '10.0.0.0/8,all', 'ssh-allow: invalid CIDR address: all'],
    ['logging-config', 'unit', 'logging-config: expected <module>=<level>, got "unit"'],
    ['logging-config', 'unit=LOUD', 'logging-config: expected <module>=<level>, got "unit=LOUD"'],
    ['max-status-history-size', 'big', 'max-status-history-size: expected a size, got "big"'],
    ['update-status-hook-interval', '5', 'update-status-hook-interval: invalid duration "5"'],
    ['update-status-hook-interval', '5s', 'update-status-hook-interval: 5s cannot be less than 10s'],
    ['update-status-hook-interval', '2h', 'update-status-hook-interval: 2h cannot be greater than 1h'],
    ['resource-tags', 'a', 'resource-tags: expected "key=value", got "a"'],
    ['resource-tags', 'juju-x=1', 'resource-tags: tag "juju-x" uses reserved prefix "juju-"'],
    ['resource-tags', { a: 1 }, 'resource-tags: a: expected string, got 1'],
    ['resource-tags', 5, 'resource-tags: expected a map, got 5'],
    ['mine', {}, 'mine: expected string, got {}'],
  ])('%s %j is refused', (key, given, message) => {
    expect(() => parseModelConfig({ [key]: given })).toThrow(
      expect.objectContaining({ code: 'not valid', message }),
    );
  });
});

describe('changes of model configuration', () => {
  const before = { ...mergedModelConfig({}), uuid: 'u', name: 'demo' };

  test.each<[string, Record<string, ModelConfigValue>, string]>([
    [
      'changes of the firewall mode',
      { 'firewall-mode': 'none' },
      'cannot change firewall-mode from "instance" to "none"',
    ],
    ['changes of the name', { name: 'other' }, 'cannot change name from "demo" to "other"'],
    [
      'changes to two kinds of proxy',
      { 'http-proxy': 'http://a', 'juju-https-proxy': 'http://b' },
      'cannot specify both legacy proxy values and juju proxy values',
    ],
  ])('%s are refused', (_, change, message) => {
    expect(() => checkModelConfigChange(before, { ...before, ...change })).toThrow(
      expect.objectContaining({ code: 'not valid', message }),
    );
  });

  test('changes of all other keys are allowed, and so is setting an unset key', () => {
    expect(() =>
      checkModelConfigChange(before, { ...before, 'http-proxy': 'http://a', 'agent-version': '3.6.1' }),
    ).not.toThrow();
  });
});

test('the page of settings lists those without effect', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/model-settings.md'), 'utf8');
  const section = /### without-effect\n(.*?)\n### /s.exec(page)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, key]) => key));
  const without = Object.entries(modelConfigSchema).filter(([, one]) => one.hasEffect === false);
  expect(new Set(listed)).toEqual(new Set(without.map(([key]) => key)));
});
