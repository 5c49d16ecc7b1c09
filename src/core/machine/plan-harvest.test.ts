import { expect, test } from 'vitest';
import type { HarvestMode } from './plan-provisioning.ts';
import { planHarvest, type HarvestPlan, type TaggedInstance } from './plan-harvest.ts';

const now = 1_000_000;
const one: TaggedInstance = { id: 'i-0', machineId: '0', nonce: 'n', isController: false };
const nothing: HarvestPlan = { strays: [], suspects: [], stops: [], givenUp: [] };

interface Case {
  name: string;
  instance?: TaggedInstance;
  recorded?: string[];
  kept?: string[];
  /** Machine → nonce. */
  nonces?: Record<string, string>;
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
    nonces: { 0: 'n' },
    mode: 'all',
    plan: {},
  },
  { name: 'keep-instance is respected', kept: ['i-0'], mode: 'all', plan: {} },
  {
    name: 'an instance of an attempt that was given up is stopped',
    nonces: { 0: 'm' },
    mode: 'destroyed',
    seen: undefined,
    plan: { givenUp: [one] },
  },
  {
    name: 'also of a machine that gets another instance',
    nonces: { 0: '' },
    mode: 'destroyed',
    seen: undefined,
    plan: { givenUp: [one] },
  },
  {
    name: 'unless nothing is to be stopped: then it is reported',
    nonces: { 0: 'm' },
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
    name: 'one without a nonce is no attempt of a machine that has none either',
    instance: { ...one, nonce: '' },
    nonces: { 0: '' },
    mode: 'destroyed',
    plan: { givenUp: [{ ...one, nonce: '' }] },
  },
  {
    name: 'what runs a controller is never stopped',
    instance: { ...one, isController: true },
    mode: 'all',
    plan: { strays: [{ ...one, isController: true }] },
  },
])(
  '$name',
  ({ instance = one, recorded = [], kept = [], nonces = {}, mode = 'destroyed', plan, ...rest }) => {
    const seen = 'seen' in rest ? rest.seen : 5_000;
    const records = {
      recorded: new Set(recorded),
      kept: new Set(kept),
      nonceOf: (machine: string) => nonces[machine],
    };
    const since = new Map(seen === undefined ? [] : [[instance.id, now - seen]]);
    expect(planHarvest([instance], records, { mode, since, now })).toEqual({ ...nothing, ...plan });
  },
);
