import { expect, test } from 'vitest';
import {
  application,
  dying,
  explainView,
  machine,
  relation,
  status,
  unit,
} from '../../testing/explain-view.ts';
import type { Entities } from '../kinds.ts';
import { isSettled } from './settled.ts';

type Documents = Parameters<typeof explainView>[0];

const all: Documents = {
  application: { ...application('web') },
  machine: machine('0'),
  relation: relation(1, 'web:ring'),
  unit: unit('web/0', '0'),
};
const storage = (more: Partial<Entities['storage']>): Documents => ({ storage: { 'data/0': more } });

test('a model in which nothing is removed, rolled out, awaited or started is settled', () => {
  expect(isSettled(explainView(all))).toBe(true);
  expect(isSettled(explainView({ ...all, ...storage({}) }))).toBe(true);
});

test.each<[string, Documents]>([
  ['an application that is removed', { application: application('web', dying(1)) }],
  ['a unit that is removed', { unit: unit('web/0', '0', dying(1)) }],
  ['a machine that is removed', { machine: machine('0', dying(1)) }],
  ['a relation that is removed', { relation: relation(1, 'web:ring', dying(1)) }],
  ['a pending application', { application: application('web', { pending: true as never }) }],
  ['a roll-out', { application: application('web', { rollout: {} as never }) }],
  ['a machine without an instance', { machine: { '0': { id: '0', life: 'alive' } } }],
  ['suspended starts', { status: status('model', '', 'suspended') }],
  ['storage that is destroyed', storage({ ending: 'destroy' })],
  ['a failed step of storage', storage({ retry: {} as never })],
  ['storage that is detached', storage({ attachment: { life: 'dying' } as never })],
])('%s may change', (_, other) => {
  expect(isSettled(explainView({ ...all, ...other }))).toBe(false);
});

test('a model that is removed may change', () => {
  expect(isSettled(explainView(all, { model: { life: 'dying' } }))).toBe(false);
});
