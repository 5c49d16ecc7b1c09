import fc from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import {
  planProvisioning,
  type HarvestMode,
  type InstanceView,
  type MachineView,
  type ProvisioningStep,
} from './plan-provisioning.ts';

const machine = (more: Partial<MachineView> = {}): MachineView => ({ id: '0', life: 'alive', ...more });
const instance = (more: Partial<InstanceView> = {}): InstanceView => ({
  id: 'i-0',
  machineId: '0',
  nonce: 'n',
  ...more,
});
const start = { kind: 'start', machineId: '0' } as const;
const adopt = { kind: 'adopt', machineId: '0', instanceId: 'i-0' } as const;
const stop = { kind: 'stop', instanceId: 'i-0', machineId: '0' } as const;
const forget = { kind: 'forget', machineId: '0' } as const;
const kill = { kind: 'kill', machineId: '0' } as const;
const provisioned = { nonce: 'n', instanceId: 'i-0' };

interface Case {
  name: string;
  machines: MachineView[];
  instances: InstanceView[];
  steps: ProvisioningStep[];
  busy?: string[];
  harvest?: HarvestMode;
}
test.each<Case>([
  { name: 'nothing, nothing', machines: [], instances: [], steps: [] },
  { name: 'a new machine is started', machines: [machine()], instances: [], steps: [start] },
  {
    name: 'one whose start was lost is started again',
    machines: [machine({ nonce: 'n' })],
    instances: [],
    steps: [start],
  },
  {
    name: 'one whose agent had come, on what is gone before it was recorded, is as if never started',
    machines: [machine({ nonce: 'n', began: true })],
    instances: [],
    steps: [{ kind: 'renew', machineId: '0' }],
  },
  {
    name: 'not while its agent seems to be there',
    machines: [machine({ nonce: 'n', began: true, present: true })],
    instances: [],
    steps: [],
  },
  {
    name: 'and not when it is still there',
    machines: [machine({ nonce: 'n', began: true })],
    instances: [instance()],
    steps: [adopt],
  },
  {
    name: 'an instance from before a crash is adopted',
    machines: [machine({ nonce: 'n' })],
    instances: [instance()],
    steps: [adopt],
  },
  {
    name: 'even when the start was thought to have failed',
    machines: [machine({ nonce: 'n', failed: true })],
    instances: [instance()],
    steps: [adopt],
  },
  {
    name: 'a recorded instance that has crashed is started again',
    machines: [machine(provisioned)],
    instances: [instance({ stopped: true })],
    steps: [{ kind: 'restart', machineId: '0' }],
  },
  {
    name: 'also for a dying machine, whose agent has yet to end what is on it',
    machines: [machine({ ...provisioned, life: 'dying', impeded: true })],
    instances: [instance({ stopped: true })],
    steps: [{ kind: 'restart', machineId: '0' }],
  },
  {
    name: 'but not the host of the controller, nor one that runs',
    machines: [
      machine({ ...provisioned, unmanaged: true }),
      machine({ ...provisioned, id: '1', instanceId: 'i-1' }),
    ],
    instances: [instance({ stopped: true }), instance({ id: 'i-1', machineId: '1' })],
    steps: [],
  },
  {
    name: 'an instance of an earlier attempt is stopped',
    machines: [machine({ nonce: 'm' })],
    instances: [instance()],
    steps: [stop, start],
  },
  {
    name: 'an instance without nonce is not adopted',
    machines: [machine()],
    instances: [{ id: 'i-0', machineId: '0' }],
    steps: [stop, start],
  },
  {
    name: 'a provisioned machine is left alone',
    machines: [machine(provisioned)],
    instances: [instance()],
    steps: [],
  },
  {
    name: 'also when the cloud does not list it',
    machines: [machine(provisioned)],
    instances: [],
    steps: [],
  },
  {
    name: 'its double is stopped',
    machines: [machine(provisioned)],
    instances: [instance(), instance({ id: 'i-1' })],
    steps: [{ ...stop, instanceId: 'i-1' }],
  },
  { name: 'a failed machine waits', machines: [machine({ failed: true })], instances: [], steps: [] },
  {
    name: 'a dying machine is left to its agent',
    machines: [machine({ life: 'dying', ...provisioned })],
    instances: [instance()],
    steps: [],
  },
  {
    name: 'a dying machine without instance is killed',
    machines: [machine({ life: 'dying' })],
    instances: [],
    steps: [kill],
  },
  {
    name: 'and what its lost start made is stopped',
    machines: [machine({ life: 'dying', nonce: 'n' })],
    instances: [instance()],
    steps: [stop, kill],
  },
  {
    name: 'a dying machine that units wait for is not killed',
    machines: [machine({ life: 'dying', impeded: true })],
    instances: [],
    steps: [],
  },
  {
    name: 'and its instance is adopted',
    machines: [machine({ life: 'dying', nonce: 'n', impeded: true })],
    instances: [instance()],
    steps: [adopt],
  },
  {
    name: "a dead machine's instance is stopped",
    machines: [machine({ life: 'dead', ...provisioned })],
    instances: [instance()],
    steps: [stop],
  },
  {
    name: 'and once it is gone the record is',
    machines: [machine({ life: 'dead', ...provisioned })],
    instances: [],
    steps: [forget],
  },
  {
    name: 'a dead machine that never had one',
    machines: [machine({ life: 'dead' })],
    instances: [],
    steps: [forget],
  },
  {
    name: 'a dead machine whose start was lost',
    machines: [machine({ life: 'dead', nonce: 'n' })],
    instances: [instance()],
    steps: [stop],
  },
  {
    name: 'an instance to be kept is kept',
    machines: [machine({ life: 'dead', keepInstance: true, ...provisioned })],
    instances: [instance()],
    steps: [{ ...forget, keptInstanceId: 'i-0' }],
  },
  {
    name: 'also one that a crash left before it was recorded',
    machines: [machine({ life: 'dead', keepInstance: true, nonce: 'n' })],
    instances: [instance()],
    steps: [{ ...forget, keptInstanceId: 'i-0' }],
  },
  {
    name: 'and while its machine is dying',
    machines: [machine({ life: 'dying', keepInstance: true, nonce: 'n' })],
    instances: [instance()],
    steps: [{ kind: 'kill', machineId: '0' }],
  },
  {
    name: 'one that is gone already cannot be kept',
    machines: [machine({ life: 'dead', keepInstance: true, ...provisioned })],
    instances: [],
    steps: [forget],
  },
  {
    name: 'an unmanaged instance is never stopped',
    machines: [machine({ life: 'dead', unmanaged: true, ...provisioned })],
    instances: [instance()],
    steps: [forget],
  },
  {
    name: 'an instance without a record is left to the harvester, in every mode',
    machines: [],
    instances: [instance()],
    harvest: 'all',
    steps: [],
  },
  {
    name: 'mode none: the instance of an attempt that was given up stays',
    machines: [machine({ nonce: 'm' })],
    instances: [instance()],
    harvest: 'none',
    steps: [start],
  },
  {
    name: 'in the other modes it is stopped',
    machines: [machine({ nonce: 'm' })],
    instances: [instance()],
    harvest: 'unknown',
    steps: [stop, start],
  },
  ...(['none', 'unknown'] as const).flatMap((harvest): Case[] => [
    {
      name: `mode ${harvest}: a dead machine's instance stays, and its record goes`,
      machines: [machine({ life: 'dead', ...provisioned })],
      instances: [instance()],
      harvest,
      steps: [forget],
    },
    {
      name: `mode ${harvest}: so does what the lost start of a dying one made`,
      machines: [machine({ life: 'dying', nonce: 'n' })],
      instances: [instance()],
      harvest,
      steps: [kill],
    },
  ]),
  ...(['destroyed', 'all'] as const).map((harvest): Case => ({
    name: `mode ${harvest}: a dead machine's instance is stopped`,
    machines: [machine({ life: 'dead', ...provisioned })],
    instances: [instance()],
    harvest,
    steps: [stop],
  })),
  {
    name: 'keep-instance is respected in every mode',
    machines: [machine({ life: 'dead', keepInstance: true, ...provisioned })],
    instances: [instance()],
    harvest: 'all',
    steps: [{ ...forget, keptInstanceId: 'i-0' }],
  },
  {
    name: 'a lost machine is left alone until somebody has it replaced',
    machines: [machine({ ...provisioned, lost: true })],
    instances: [],
    steps: [],
  },
  {
    name: 'a replaced one is started, and what comes back of the old one is stopped',
    machines: [machine()],
    instances: [instance()],
    steps: [stop, start],
  },
  {
    name: 'a dying machine whose instance is lost is killed',
    machines: [machine({ life: 'dying', lost: true, ...provisioned })],
    instances: [],
    steps: [kill],
  },
  {
    name: 'but not while units wait on it: they are forced, or the machine is replaced',
    machines: [machine({ life: 'dying', lost: true, impeded: true, ...provisioned })],
    instances: [],
    steps: [],
  },
  {
    name: 'an instance that is no machine is none of ours',
    machines: [],
    instances: [{ id: 'i-9' }, { id: 'i-8', machineId: '', nonce: '' }],
    steps: [],
  },
  {
    name: 'what is being worked on is left alone',
    machines: [machine({ nonce: 'n' })],
    instances: [instance()],
    busy: ['0'],
    steps: [],
  },
  {
    name: 'stops come before starts',
    machines: [machine({ id: '1' }), machine({ life: 'dead', ...provisioned })],
    instances: [instance()],
    steps: [stop, { kind: 'start', machineId: '1' }],
  },
])('$name', ({ machines, instances, steps, busy = [], harvest = 'destroyed' }) => {
  expect(planProvisioning({ machines, instances, busy: new Set(busy), harvest })).toEqual(steps);
});

test('carried out until nothing is left to do, every alive machine has exactly its instance, and of the others only strays are left', () => {
  const record = fc.record(
    {
      life: fc.constantFrom<MachineView['life']>('alive', 'dying', 'dead'),
      nonce: fc.constantFrom('n', 'm'),
      instanceId: fc.constantFrom('i-0', 'i-1'),
      impeded: fc.boolean(),
    },
    { requiredKeys: ['life'] },
  );
  const listed = fc.record(
    {
      id: fc.constantFrom('i-0', 'i-1', 'i-2', 'i-3'),
      machineId: fc.constantFrom('0', '1', '2'),
      nonce: fc.constantFrom('n', 'm'),
    },
    { requiredKeys: ['id', 'machineId'] },
  );
  const world = fc.tuple(
    fc.array(record, { maxLength: 2 }),
    fc.uniqueArray(listed, { selector: ({ id }) => id }),
  );
  fc.assert(
    fc.property(world, ([records, found]) => {
      const machines = new Map<string, MachineView>(
        records.map((one, i) => [
          String(i),
          { ...one, id: String(i), ...(one.instanceId ? { instanceId: `own-${i}` } : {}) },
        ]),
      );
      const instances = new Map<string, InstanceView>(found.map((one) => [one.id, one]));
      const strays = found.filter(({ machineId }) => !machines.has(machineId)).map(({ id }) => id);
      for (const { id, instanceId, nonce } of machines.values())
        if (instanceId)
          instances.set(instanceId, { id: instanceId, machineId: id, ...(nonce ? { nonce } : {}) });
      let steps: ProvisioningStep[];
      let rounds = 0;
      do {
        steps = planProvisioning({ machines: [...machines.values()], instances: [...instances.values()] });
        for (const step of steps) carryOut(step, machines, instances);
        expect(++rounds).toBeLessThan(5);
      } while (steps.length > 0);
      const alive = [...machines.values()].filter(({ life }) => life === 'alive');
      for (const { instanceId } of alive) expect(instances.has(instanceId!)).toBe(true);
      expect([...instances.keys()].sort()).toEqual(
        [...[...machines.values()].flatMap(({ instanceId }) => instanceId ?? []), ...strays].sort(),
      );
    }),
  );
});

function carryOut(
  step: ProvisioningStep,
  machines: Map<string, MachineView>,
  instances: Map<string, InstanceView>,
): void {
  switch (step.kind) {
    case 'start': {
      const id = `new-${step.machineId}`;
      expect(instances.has(id)).toBe(false);
      instances.set(id, { id, machineId: step.machineId, nonce: 'new' });
      machines.set(step.machineId, { ...machines.get(step.machineId)!, instanceId: id, nonce: 'new' });
      return;
    }
    case 'adopt':
      machines.set(step.machineId, { ...machines.get(step.machineId)!, instanceId: step.instanceId });
      return;
    case 'stop':
      instances.delete(step.instanceId);
      return;
    case 'forget':
      machines.delete(step.machineId);
      return;
    case 'kill':
      machines.set(step.machineId, { ...machines.get(step.machineId)!, life: 'dead' });
      return;
    case 'renew':
    case 'restart':
  }
}
