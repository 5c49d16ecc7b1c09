import { expect, test } from 'vitest';
import { planLook } from './plan-look.ts';
import type { MachineView } from './plan-provisioning.ts';

const view = (more: Partial<MachineView> = {}): MachineView => ({ id: '0', life: 'alive', ...more });

test.each<{
  what: string;
  machine: MachineView;
  present?: boolean;
  unsure?: boolean;
  busy?: boolean;
  recorded?: string[];
  unrecorded?: string[];
}>([
  { what: 'a machine that was never started has nothing to see', machine: view() },
  {
    what: 'an instance whose agent is connected runs',
    machine: view({ nonce: 'n', instanceId: 'i-0' }),
    present: true,
  },
  {
    what: 'an instance without a connected agent may have crashed',
    machine: view({ nonce: 'n', instanceId: 'i-0' }),
    recorded: ['i-0'],
  },
  {
    what: "a dead machine's instance is to be released, whoever is connected",
    machine: view({ life: 'dead', nonce: 'n', instanceId: 'i-0' }),
    present: true,
    recorded: ['i-0'],
  },
  {
    what: 'an instance that no provider started is not asked for',
    machine: view({ life: 'dead', instanceId: 'host', unmanaged: true }),
  },
  {
    what: 'a start of a machine that goes may have made an instance that is not recorded',
    machine: view({ life: 'dying', nonce: 'n' }),
    unrecorded: ['0'],
  },
  {
    what: 'a start under way records its instance itself',
    machine: view({ life: 'dying', nonce: 'n' }),
    busy: true,
  },
  {
    what: 'a machine that goes and was never started has no instance',
    machine: view({ life: 'dead' }),
  },
  {
    what: 'an attempt that was given up may have made an instance',
    machine: view({ nonce: 'n-2', instanceId: 'i-0' }),
    present: true,
    unsure: true,
    unrecorded: ['0'],
  },
  {
    what: 'a dead machine may leave instances of attempts that it gave up',
    machine: view({ life: 'dead', nonce: 'n-2', instanceId: 'i-0', givenUp: ['n'] }),
    unrecorded: ['0'],
  },
  {
    what: 'an attempt that was given up before the agent was connected is not looked for again',
    machine: view({ nonce: 'n-2', instanceId: 'i-0', givenUp: ['n'] }),
    present: true,
  },
  {
    what: 'an agent that came without a recorded instance has one',
    machine: view({ nonce: 'n', began: true }),
    unrecorded: ['0'],
  },
])('$what', ({ machine, present = false, unsure = false, busy = false, recorded = [], unrecorded = [] }) => {
  const plan = planLook([machine], {
    unsure: new Set(unsure ? ['0'] : []),
    busy: new Set(busy ? ['0'] : []),
    isPresent: () => present,
  });
  expect(plan).toEqual({ recorded, unrecorded: new Set(unrecorded) });
});
