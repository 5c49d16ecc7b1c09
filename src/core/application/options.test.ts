import { describe, expect, test } from 'vitest';
import { optionsIn, splitTrust } from './options.ts';

describe('optionsIn', () => {
  test.each([
    ['a map under the name, without what is null', { web: { port: 80, title: null } }, { port: 80 }],
    ['nothing under the name', { web: null }, {}],
    ['another application only', { db: {} }, undefined],
    ['a text under the name', { web: 'port' }, undefined],
    ['a list', ['web'], undefined],
    ['no document', undefined, undefined],
  ])('reads a file with %s', (_, document, options) => {
    expect(optionsIn(document, 'web')).toEqual(options);
  });
});

describe('splitTrust', () => {
  test.each([
    [{ port: 80 }, { config: { port: 80 } }],
    [
      { port: 80, trust: true },
      { config: { port: 80 }, trust: true },
    ],
    [{ trust: 'False' }, { config: {}, trust: false }],
    [{ trust: 1 }, { config: {}, trust: true }],
  ])('splits %j into %j', (options, split) => {
    expect(splitTrust(options)).toEqual(split);
  });

  test.each([
    ['maybe', 'option "trust" expected bool, got "maybe"'],
    [{}, 'option "trust" expected bool, got '],
  ])('refuses %j', (trust, message) => {
    expect(() => splitTrust({ trust })).toThrow(message);
  });
});
