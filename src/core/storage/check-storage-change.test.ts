import { expect, test } from 'vitest';
import { checkStorageChange, missingStorage } from './check-storage-change.ts';
import { storageSpecs } from './spec.ts';

const specs = (storage: object) => storageSpecs(storage as Readonly<Record<string, unknown>>);
const data = { type: 'filesystem' };
const many = (range: string, more: object = {}): object => ({ ...data, multiple: { range }, ...more });
const one = (spec: object) => specs({ data: spec })['data']!;

test.each<[object, object, string]>([
  [{ data }, {}, 'required storage "data" removed'],
  [{ data: many('0-1') }, {}, 'in-use storage "data" removed'],
  [{ data }, { data: { type: 'block' } }, 'type changed from "filesystem" to "block"'],
  [{ data }, { data: { ...data, shared: true } }, 'shared changed from false to true'],
  [{ data }, { data: { ...data, 'read-only': true } }, 'read-only changed from false to true'],
  [{ data }, { data: { ...data, location: '/srv' } }, 'location changed from "" to "/srv"'],
  [{ data: many('0+') }, { data: many('0-2') }, 'range contracted: max decreased from <unbounded> to 2'],
  [{ data: many('1-3') }, { data }, 'range contracted: max decreased from 3 to 1'],
  [
    { data: { ...data, location: '/srv' } },
    { data: many('1-2', { location: '/srv' }) },
    'with location changed from single to multiple',
  ],
])('storage %j cannot become %j', (before, after, message) =>
  expect(() => checkStorageChange(specs(before), specs(after), () => true)).toThrow(message),
);

test.each<[object, object]>([
  [{}, { data }],
  [{ data }, { data: { ...data, 'minimum-size': '2G', description: 'other' } }],
  [{ data }, { data: many('1-3') }],
  [{ data: many('0-1') }, { data: many('1+') }],
  [{ data: many('0-1') }, {}],
])('storage %j may become %j', (before, after) =>
  expect(() => checkStorageChange(specs(before), specs(after))).not.toThrow(),
);

test.each<[string, object | undefined, object, number, number]>([
  ['all of a new storage', undefined, many('0-5'), 0, 3],
  ['the rest of one that it took over', undefined, many('0-5'), 1, 2],
  ['nothing that it could have had before', many('0-5'), many('0-5'), 0, 0],
  ['what a raised minimum asks for', many('0-5'), many('2-5'), 1, 1],
  ['nothing beyond what it has', data, data, 2, 0],
])('a unit gets %s', (_, before, after, present, missing) =>
  expect(missingStorage({ before: before && one(before), after: one(after) }, { count: 3 }, present)).toBe(
    missing,
  ),
);
