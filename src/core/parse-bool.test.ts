import { expect, test } from 'vitest';
import { parseBool } from './parse-bool.ts';

test('parseBool accepts the words for booleans that Go accepts', () => {
  expect(['1', 't', 'T', 'true', 'TRUE', 'True'].map(parseBool)).toEqual(Array(6).fill(true));
  expect(['0', 'f', 'F', 'false', 'FALSE', 'False'].map(parseBool)).toEqual(Array(6).fill(false));
  expect(['yes', '', 'tRUE', 'on'].map(parseBool)).toEqual(Array(4).fill(undefined));
});
