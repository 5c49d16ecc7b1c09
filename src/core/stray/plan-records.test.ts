import { expect, test } from 'vitest';
import type { TaggedInstance } from '../machine/plan-harvest.ts';
import type { StrayDoc } from './document.ts';
import { planStrayRecords } from './plan-records.ts';

const since = '2026-01-01T00:00:00Z';
const instance = (id: string, machineId = ''): TaggedInstance => ({
  id,
  machineId,
  nonce: '',
  isController: false,
});
const record = (instanceId: string, more: Partial<StrayDoc> = {}): StrayDoc => ({
  instanceId,
  machine: '',
  since,
  ...more,
});

test.each([
  { what: 'nothing seen and nothing known changes no record', strays: [], known: [], found: [], gone: [] },
  {
    what: 'a new stray is recorded with its machine',
    strays: [instance('i-1', '3')],
    known: [],
    found: [record('i-1', { machine: '3' })],
    gone: [],
  },
  {
    what: 'a stray that is known as it is changes no record',
    strays: [instance('i-1')],
    known: [record('i-1')],
    found: [],
    gone: [],
  },
  {
    what: 'a known stray that is to be stopped from now on is recorded so',
    strays: [instance('i-1')],
    stops: [instance('i-1')],
    known: [record('i-1')],
    found: [record('i-1', { stopping: true })],
    gone: [],
  },
  {
    what: 'a stray that is to be stopped no longer is recorded so',
    strays: [instance('i-1')],
    known: [record('i-1', { stopping: true })],
    found: [record('i-1')],
    gone: [],
  },
  {
    what: 'the record of an instance that is no stray any more goes',
    strays: [instance('i-2')],
    known: [record('i-1'), record('i-2')],
    found: [],
    gone: ['i-1'],
  },
])('$what', ({ strays, stops = [], known, found, gone }) => {
  const records = new Map(known.map((one) => [one.instanceId, one]));
  expect(planStrayRecords({ strays, stops }, records, () => since)).toEqual({ found, gone });
});
