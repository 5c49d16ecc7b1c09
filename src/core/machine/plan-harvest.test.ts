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
  /** What the record of machine 0 says. */
  machine?: { nonce: string; hasInstance: boolean };
  mode?: HarvestMode;
  /** Milliseconds ago; undefined = never. */
  seen?: number | undefined;
  plan: Partial<HarvestPlan>;
}

test.each<Case>([
  {
    name: 'an instance without a record is reported',
    plan: { strays: [one] },
  },
  {
    name: 'and harvested only as the mode says: none',
    mode: 'none',
    plan: { strays: [one] },
  },
  { name: 'unknown', mode: 'unknown', plan: { strays: [one], stops: [one] } },
  { name: 'all', mode: 'all', plan: { strays: [one], stops: [one] } },
  {
    name: 'seen once it may be one that goes, or whose record went since it was listed',
    mode: 'all',
    seen: undefined,
    plan: { suspects: [one] },
  },
  { name: 'seen twice in a moment as well', mode: 'all', seen: 4_999, plan: { suspects: [one] } },
  { name: 'a recorded instance is its machine’s', recorded: ['i-0'], mode: 'all', plan: {} },
  {
    name: 'also when its tag names another machine, which is gone',
    recorded: ['i-0'],
    instance: { ...one, machineId: '9' },
    mode: 'all',
    plan: {},
  },
  {
    name: 'an instance whose start is being recorded is its machine’s',
    machine: { nonce: 'n', hasInstance: false },
    mode: 'all',
    plan: {},
  },
  { name: 'keep-instance is respected', kept: ['i-0'], mode: 'all', plan: {} },
  {
    name: 'an instance of an attempt that was given up is stopped',
    machine: { nonce: 'm', hasInstance: true },
    mode: 'destroyed',
    seen: undefined,
    plan: { givenUp: [one] },
  },
  {
    name: 'but not before its machine has another, which might have the same id',
    machine: { nonce: 'm', hasInstance: false },
    mode: 'all',
    plan: { awaiting: [one] },
  },
  {
    name: 'nor before that is begun',
    machine: { nonce: '', hasInstance: false },
    mode: 'destroyed',
    plan: { awaiting: [one] },
  },
  {
    name: 'unless nothing is to be stopped: then it is reported',
    machine: { nonce: 'm', hasInstance: true },
    mode: 'none',
    plan: { strays: [one] },
  },
  {
    name: 'an instance without a machine’s tag is reported as well',
    instance: { ...one, machineId: '', nonce: '' },
    mode: 'destroyed',
    plan: { strays: [{ ...one, machineId: '', nonce: '' }] },
  },
  {
    name: 'one without a nonce is not what a machine without one is being given',
    instance: { ...one, nonce: '' },
    machine: { nonce: '', hasInstance: false },
    mode: 'destroyed',
    plan: { awaiting: [{ ...one, nonce: '' }] },
  },
  {
    name: 'what runs a controller is never stopped',
    instance: { ...one, isController: true },
    mode: 'all',
    plan: { strays: [{ ...one, isController: true }] },
  },
])('$name', ({ instance = one, recorded = [], kept = [], machine, mode = 'destroyed', plan, ...rest }) => {
  const seen = 'seen' in rest ? rest.seen : 5_000;
  const records = {
    recorded: new Set(recorded),
    kept: new Set(kept),
    machine: (id: string) => (id === '0' ? machine : undefined),
  };
  const since = new Map(seen === undefined ? [] : [[instance.id, now - seen]]);
  expect(planHarvest([instance], records, { mode, since, now })).toEqual({ ...nothing, ...plan });
});
