import { describe, expect, test } from 'vitest';
import { mergedConfig, parseConfig, parseConfigValue, parseConfigValues } from './config.ts';
import type { ConfigOption } from './metadata.ts';

const option = (type: ConfigOption['type']): ConfigOption => ({ type, description: '' });

describe('parseConfig', () => {
  test('parseConfig reads types and defaults', () => {
    const options = {
      title: { type: 'string', description: 'shown on top', default: '' },
      port: { type: 'int', default: 80 },
      ratio: { type: 'float', default: 2 },
      debug: { type: 'boolean', default: false },
      key: { type: 'secret' },
      untyped: {},
      empty: { type: 'int', default: '' },
      flag: { type: 'boolean', default: 'False' },
      size: { type: 'int', default: '12' },
      share: { type: 'float', default: '0.5' },
      blank: { type: '' },
      '2fa_enabled/x': { type: 'string' },
    };
    expect(parseConfig({ options })).toEqual({
      title: { type: 'string', description: 'shown on top', default: '' },
      port: { type: 'int', description: '', default: 80 },
      ratio: { type: 'float', description: '', default: 2 },
      debug: { type: 'boolean', description: '', default: false },
      key: { type: 'secret', description: '' },
      untyped: { type: 'string', description: '' },
      empty: { type: 'int', description: '' },
      flag: { type: 'boolean', description: '', default: false },
      size: { type: 'int', description: '', default: 12 },
      share: { type: 'float', description: '', default: 0.5 },
      blank: { type: 'string', description: '' },
      '2fa_enabled/x': { type: 'string', description: '' },
    });
  });

  test.each([undefined, null, {}, { options: null }])('the config %j has no options', (raw) => {
    expect(parseConfig(raw)).toEqual({});
  });

  test.each([
    ['options: x', 'invalid config: expected a map'],
    [{ options: [] }, 'invalid config: options: expected a map, got []'],
    [{ options: { a: 3 } }, 'invalid config: option "a": expected a map, got 3'],
    [{ options: { a: { type: 'date' } } }, 'invalid config: option "a" has unknown type "date"'],
    [
      { options: { a: { type: 'int', default: 'x' } } },
      'invalid config default: option "a" expected int, got "x"',
    ],
    [
      { options: { a: { type: 'int', default: 1.5 } } },
      'invalid config default: option "a" expected int, got 1.5',
    ],
    [
      { options: { a: { type: 'string', default: 5 } } },
      'invalid config default: option "a" expected string, got 5',
    ],
    [JSON.parse('{"options":{"__proto__":{"type":"int"}}}'), 'invalid config: option name "__proto__"'],
    [{ options: { 'a=b': {} } }, 'invalid config: option name "a=b"'],
    [
      { options: { a: { type: 'boolean', default: 'maybe' } } },
      'invalid config default: option "a" expected boolean, got "maybe"',
    ],
  ])('%j is refused', (raw, message) => {
    expect(() => parseConfig(raw)).toThrow(expect.objectContaining({ code: 'not valid', message }));
  });
});

describe('parseConfigValue', () => {
  test.each([
    ['string', 'x', 'x'],
    ['string', '', ''],
    ['int', '5', 5],
    ['int', '-5', -5],
    ['int', 5, 5],
    ['float', '2', 2],
    ['float', '2.5e3', 2500],
    ['float', 2.5, 2.5],
    ['boolean', 'True', true],
    ['boolean', '0', false],
    ['boolean', true, true],
    ['secret', 'secret:9m4e2mr0ui3e8a215n4g', 'secret:9m4e2mr0ui3e8a215n4g'],
  ] as const)('a value for %s, %j, is parsed as %j', (type, given, value) => {
    expect(parseConfigValue(option(type), 'x', given)).toBe(value);
  });

  test.each([
    ['string', 5, 'option "x" expected string, got 5'],
    ['string', null, 'option "x" expected string, got null'],
    ['int', 'y', 'option "x" expected int, got "y"'],
    ['int', '', 'option "x" expected int, got ""'],
    ['int', '5.0', 'option "x" expected int, got "5.0"'],
    ['int', '99999999999999999999', 'option "x" expected int, got "99999999999999999999"'],
    ['int', true, 'option "x" expected int, got true'],
    ['float', 'NaN', 'option "x" expected float, got "NaN"'],
    ['float', '1e999', 'option "x" expected float, got "1e999"'],
    ['boolean', 'yes', 'option "x" expected boolean, got "yes"'],
    ['boolean', 1, 'option "x" expected boolean, got 1'],
    ['secret', 'hunter2', 'option "x" expected secret, got "hunter2"'],
    ['string', {}, 'option "x" expected string, got {}'],
  ] as const)('a value for %s, %j, is refused', (type, given, message) => {
    expect(() => parseConfigValue(option(type), 'x', given)).toThrow(
      expect.objectContaining({ code: 'not valid', message }),
    );
  });
});

test('values of unknown options are refused', () => {
  const options = { a: option('int') };
  expect(parseConfigValues(options, { a: '1' })).toEqual({ a: 1 });
  expect(() => parseConfigValues(options, { b: '1' })).toThrow('unknown option "b"');
  expect(() => parseConfigValues(options, { constructor: '1' })).toThrow('unknown option "constructor"');
});

test('a charm sees set values in place of its defaults, and no options that it does not declare', () => {
  const options = {
    a: { ...option('int'), default: 1 },
    b: { ...option('string'), default: 'x' },
    c: option('int'),
  };
  expect(mergedConfig(options, { b: 'y' })).toEqual({ a: 1, b: 'y' });
  expect(mergedConfig(options, { c: 0, gone: 'z' })).toEqual({ a: 1, b: 'x', c: 0 });
});

test('a value is replaced by the default when an upgraded charm has changed the type of the option', () => {
  expect(mergedConfig({ a: { ...option('int'), default: 1 } }, { a: 'one' })).toEqual({ a: 1 });
});
