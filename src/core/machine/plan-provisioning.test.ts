import fc from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import {
  planProvisioning,
  type HarvestMode,
  type InstanceView,
  type MachineView,
  type ProvisioningStep,
} from './plan-provisioning.ts';
import { defined } from '../defined.ts';

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
  othersStay?: boolean;
}
test.each<Case>([
  { name: 'nothing, nothing', machines: [], instances: [], steps: [] },
  { name: 'a new machine is started', machines: [machine()], instances: [], steps: [start] },
  {
    name: 'a machine whose start was lost is started again',
    machines: [machine({ nonce: 'n' })],
    instances: [],
    steps: [start],
  },
  {
    name: 'a machine whose agent connected from an instance that is gone unrecorded gets a new nonce',
    machines: [machine({ nonce: 'n', began: true })],
    instances: [],
    steps: [{ kind: 'renew', machineId: '0' }],
  },
  {
    name: 'a machine whose agent seems to be connected does not get a new nonce',
    machines: [machine({ nonce: 'n', began: true, present: true })],
    instances: [],
    steps: [],
  },
  {
    name: 'a machine whose unrecorded instance still exists does not get a new nonce',
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
    name: 'an instance from before a crash is adopted even when the start was thought to have failed',
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
    name: 'a crashed instance of a dying machine is started again, as the agent has yet to stop its units',
    machines: [machine({ ...provisioned, life: 'dying', impeded: true })],
    instances: [instance({ stopped: true })],
    steps: [{ kind: 'restart', machineId: '0' }],
  },
  {
    name: 'a running instance and the host of the controller are not started again',
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
    name: 'a provisioned machine is left alone when the cloud does not list its instance',
    machines: [machine(provisioned)],
    instances: [],
    steps: [],
  },
  {
    name: "a duplicate of a machine's instance is stopped",
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
    name: 'an instance made by the lost start of a dying machine is stopped',
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
    name: 'an instance of a dying machine that units wait for is adopted',
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
    name: "a dead machine's record is removed once its instance is gone",
    machines: [machine({ life: 'dead', ...provisioned })],
    instances: [],
    steps: [forget],
  },
  {
    name: 'a dead machine that never had an instance is removed',
    machines: [machine({ life: 'dead' })],
    instances: [],
    steps: [forget],
  },
  {
    name: 'a dead machine whose start was lost has its instance stopped',
    machines: [machine({ life: 'dead', nonce: 'n' })],
    instances: [instance()],
    steps: [stop],
  },
  {
    name: "an instance to be kept stays when its machine's record is removed",
    machines: [machine({ life: 'dead', keepInstance: true, ...provisioned })],
    instances: [instance()],
    steps: [{ ...forget, keptInstanceId: 'i-0' }],
  },
  {
    name: 'an instance to be kept stays when a crash left it unrecorded',
    machines: [machine({ life: 'dead', keepInstance: true, nonce: 'n' })],
    instances: [instance()],
    steps: [{ ...forget, keptInstanceId: 'i-0' }],
  },
  {
    name: 'an instance to be kept stays while its machine is dying',
    machines: [machine({ life: 'dying', keepInstance: true, nonce: 'n' })],
    instances: [instance()],
    steps: [{ kind: 'kill', machineId: '0' }],
  },
  {
    name: 'an instance that is gone already cannot be kept',
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
    name: 'mode none leaves the instance of an abandoned attempt running',
    machines: [machine({ nonce: 'm' })],
    instances: [instance()],
    harvest: 'none',
    steps: [start],
  },
  {
    name: 'an instance that may be newer than the machine of a restored model stays, also beside one that goes',
    machines: [machine({ nonce: 'm' }), machine({ id: '1', life: 'dead', nonce: 'k', instanceId: 'i-1' })],
    instances: [instance(), instance({ id: 'i-1', machineId: '1', nonce: 'k' })],
    othersStay: true,
    steps: [{ kind: 'stop', instanceId: 'i-1', machineId: '1' }, start],
  },
  {
    name: 'an instance that the machine of a restored model gave up is not newer than its record, and is stopped',
    machines: [machine({ nonce: 'm', givenUp: ['k', 'n'] })],
    instances: [instance(), instance({ id: 'i-1', nonce: 'x' })],
    othersStay: true,
    steps: [stop, start],
  },
  {
    name: 'the record of a dead machine of a restored model stays until the instance that the machine gave up is stopped',
    machines: [machine({ life: 'dead', nonce: 'm', instanceId: 'i-1', givenUp: ['n'] })],
    instances: [instance()],
    othersStay: true,
    steps: [stop],
  },
  {
    name: 'mode none leaves an instance running that a machine remembers to have given up',
    machines: [machine({ life: 'dead', nonce: 'm', givenUp: ['n'] })],
    instances: [instance()],
    harvest: 'none',
    steps: [forget],
  },
  {
    name: 'the other modes stop the instance of an abandoned attempt',
    machines: [machine({ nonce: 'm' })],
    instances: [instance()],
    harvest: 'unknown',
    steps: [stop, start],
  },
  ...(['none', 'unknown'] as const).flatMap((harvest): Case[] => [
    {
      name: `mode ${harvest} leaves a dead machine's instance running and removes its record`,
      machines: [machine({ life: 'dead', ...provisioned })],
      instances: [instance()],
      harvest,
      steps: [forget],
    },
    {
      name: `mode ${harvest} leaves the instance of a dying machine's lost start running`,
      machines: [machine({ life: 'dying', nonce: 'n' })],
      instances: [instance()],
      harvest,
      steps: [kill],
    },
  ]),
  ...(['destroyed', 'all'] as const).map((harvest): Case => ({
    name: `mode ${harvest} stops a dead machine's instance`,
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
    name: 'a lost machine is left alone until the user has it replaced',
    machines: [machine({ ...provisioned, lost: true })],
    instances: [],
    steps: [],
  },
  {
    name: 'a replaced machine is started, and its old instance is stopped when it reappears',
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
    name: 'a dying machine whose instance is lost is not killed while units are on it',
    machines: [machine({ life: 'dying', lost: true, impeded: true, ...provisioned })],
    instances: [],
    steps: [],
  },
  {
    name: 'an instance without a machine tag is ignored',
    machines: [],
    instances: [{ id: 'i-9' }, { id: 'i-8', machineId: '', nonce: '' }],
    steps: [],
  },
  {
    name: 'machines with a start or stop under way are left alone',
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
])('$name', ({ machines, instances, steps, busy = [], harvest = 'destroyed', othersStay = false }) => {
  expect(planProvisioning({ machines, instances, busy: new Set(busy), harvest, othersStay })).toEqual(steps);
});

test('a plan carried out repeatedly ends with one instance per alive machine and no others except strays', () => {
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
          { ...one, id: String(i), ...defined({ instanceId: one.instanceId ? `own-${i}` : undefined }) },
        ]),
      );
      const instances = new Map<string, InstanceView>(found.map((one) => [one.id, one]));
      const strays = found.filter(({ machineId }) => !machines.has(machineId)).map(({ id }) => id);
      for (const { id, instanceId, nonce } of machines.values())
        if (instanceId)
          instances.set(instanceId, {
            id: instanceId,
            machineId: id,
            ...defined({ nonce: nonce || undefined }),
          });
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
