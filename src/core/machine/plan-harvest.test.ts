import { expect, test } from 'vitest';
import type { HarvestMode } from './plan-provisioning.ts';
import { planHarvest, type HarvestPlan, type TaggedInstance } from './plan-harvest.ts';

const now = 1_000_000;
const one: TaggedInstance = { id: 'i-0', machineId: '0', nonce: 'n', isController: false };
const nothing: HarvestPlan = { strays: [], suspects: [], stops: [], givenUp: [], awaiting: [] };

interface Case {
  name: string;
  instance?: TaggedInstance;
  recorded?: string[];
  kept?: string[];
  /** The record of machine 0. */
  machine?: { nonce: string; hasInstance: boolean; givenUp?: string[] };
  mode?: HarvestMode;
  /** Milliseconds since the first look; undefined = never seen before. */
  seen?: number | undefined;
  plan: Partial<HarvestPlan>;
}

test.each<Case>([
  {
    name: 'an instance without a record is reported',
    plan: { strays: [one] },
  },
  {
    name: 'an instance without a record stays running in harvest mode none',
    mode: 'none',
    plan: { strays: [one] },
  },
  { name: 'unknown', mode: 'unknown', plan: { strays: [one], stops: [one] } },
  { name: 'all', mode: 'all', plan: { strays: [one], stops: [one] } },
  {
    name: 'an instance without a record is only suspect at the first look',
    mode: 'all',
    seen: undefined,
    plan: { suspects: [one] },
  },
  { name: 'seen twice in a moment as well', mode: 'all', seen: 4_999, plan: { suspects: [one] } },
  { name: 'a recorded instance is its machine’s', recorded: ['i-0'], mode: 'all', plan: {} },
  {
    name: 'an instance whose tag names a machine that is gone is reported too',
    recorded: ['i-0'],
    instance: { ...one, machineId: '9' },
    mode: 'all',
    plan: {},
  },
  {
    name: 'an instance whose start is being recorded belongs to its machine',
    machine: { nonce: 'n', hasInstance: false },
    mode: 'all',
    plan: {},
  },
  { name: 'keep-instance is respected', kept: ['i-0'], mode: 'all', plan: {} },
  {
    name: 'an instance of an abandoned attempt is stopped',
    machine: { nonce: 'm', hasInstance: true },
    mode: 'destroyed',
    seen: undefined,
    plan: { givenUp: [one] },
  },
  {
    name: 'an instance of an abandoned attempt is not stopped before its machine has another, which might get the same id',
    machine: { nonce: 'm', hasInstance: false },
    mode: 'all',
    plan: { awaiting: [one] },
  },
  {
    name: 'an instance of an abandoned attempt is not stopped before the next attempt begins',
    machine: { nonce: '', hasInstance: false },
    mode: 'destroyed',
    plan: { awaiting: [one] },
  },
  {
    name: 'an instance of an abandoned attempt is reported when harvest mode is none',
    machine: { nonce: 'm', hasInstance: true },
    mode: 'none',
    plan: { strays: [one] },
  },
  {
    name: 'an instance of an attempt that the machine remembers is stopped in every harvest mode',
    machine: { nonce: 'm', hasInstance: true, givenUp: ['k', 'n'] },
    mode: 'none',
    plan: { givenUp: [one] },
  },
  {
    name: 'an instance without a machine tag is reported',
    instance: { ...one, machineId: '', nonce: '' },
    mode: 'destroyed',
    plan: { strays: [{ ...one, machineId: '', nonce: '' }] },
  },
  {
    name: 'an instance without a nonce does not belong to a machine without one',
    instance: { ...one, nonce: '' },
    machine: { nonce: '', hasInstance: false },
    mode: 'destroyed',
    plan: { awaiting: [{ ...one, nonce: '' }] },
  },
  {
    name: 'an instance that runs a controller is never stopped',
    instance: { ...one, isController: true },
    mode: 'all',
    plan: { strays: [{ ...one, isController: true }] },
  },
])('$name', ({ instance = one, recorded = [], kept = [], machine, mode = 'destroyed', plan, ...rest }) => {
  const seen = 'seen' in rest ? rest.seen : 5_000;
  const records = {
    recorded: new Set(recorded),
    kept: new Set(kept),
    machine: (id: string) => (id === '0' && machine ? { givenUp: [], ...machine } : undefined),
  };
  const since = new Map(seen === undefined ? [] : [[instance.id, now - seen]]);
  expect(planHarvest([instance], records, { mode, since, now })).toEqual({ ...nothing, ...plan });
});
