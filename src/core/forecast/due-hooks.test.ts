import { expect, test } from 'vitest';
import { application, dying, explainView, relation, unit } from '../../testing/explain-view.ts';
import type { Entities } from '../kinds.ts';
import { dueHooks } from './due-hooks.ts';

type Documents = Parameters<typeof explainView>[0];

/** The state of a unit that has heard of others in relation 1. */
const heard = (
  name: string,
  ...others: readonly string[]
): Record<string, Partial<Entities['unit-state']>> => ({
  [name]: {
    unit: name,
    agent: { relations: { 1: { members: Object.fromEntries(others.map((one) => [one, 0])) } } },
  },
});
const apps = { ...application('web'), ...application('db') };
const units = { ...unit('web/0', '0'), ...unit('web/1', '1'), ...unit('web/2', '1'), ...unit('db/0', '2') };
const due = (more: Documents): ReturnType<typeof dueHooks> =>
  dueHooks(explainView({ application: apps, unit: units, ...more }), (name, hook) =>
    hook.endsWith('-joined') ? 1_000 : name === 'db/0' ? 4_000 : 2_000,
  );

test('peers hear of each other, one after the other on each machine', () => {
  expect(due({ relation: relation(1, 'web:ring') })).toEqual({ hooks: 12, ms: 12_000 });
});

test('what units have heard is not due', () => {
  const state = { ...heard('web/1', 'web/0', 'web/2'), ...heard('web/2', 'web/0'), ...heard('web/0') };
  expect(due({ relation: relation(1, 'web:ring'), 'unit-state': state })).toEqual({ hooks: 6, ms: 6_000 });
});

test('units of two applications hear of those of the other', () => {
  expect(due({ relation: relation(1, 'web:db db:web') })).toEqual({ hooks: 12, ms: 15_000 });
});

test.each<[string, Documents]>([
  ['no relation', {}],
  ['a relation that is removed', { relation: relation(1, 'web:ring', dying(1)) }],
  ['a suspended one', { relation: relation(1, 'web:ring', { suspended: { reason: '' } }) }],
  ['one with another model', { relation: relation(1, 'web:db db:web', { remote: {} as never }) }],
  ['one with subordinates', { relation: relation(1, 'web:db db:web', {}, 'container') }],
])('%s: nothing is due', (_, more) => {
  expect(due(more)).toEqual({ hooks: 0, ms: 0 });
});
