import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { toYaml } from './yaml.ts';

test('toYaml quotes strings that Go or Python would read as another type', () => {
  const value = {
    a: 'yes',
    b: '010',
    n: '12:30:00',
    off: 'null',
    list: ['1', 'x'],
    nested: { '10': '', e: {}, f: [] },
  };
  expect(toYaml(value)).toMatchInlineSnapshot(`
    "a: "yes"
    b: "010"
    "n": "12:30:00"
    "off": "null"
    list:
    - "1"
    - x
    nested:
      "10": ""
      e: {}
      f: []
    "
  `);
  expect(parse(toYaml(value), { version: '1.1' })).toEqual(value);
});

test('toYaml writes multi-line texts as blocks, omits undefined values, and writes chosen lists in one line', () => {
  expect(
    toYaml(
      { cert: 'a\nb\n', gone: undefined, 'api-endpoints': ['1.2.3.4:17070'] },
      { flow: ['api-endpoints'] },
    ),
  ).toBe("cert: |\n  a\n  b\napi-endpoints: ['1.2.3.4:17070']\n");
});

test('toYaml writes an empty map as {}', () => {
  expect(toYaml({})).toBe('{}\n');
  expect(toYaml({ controllers: {} })).toBe('controllers: {}\n');
});
