import { expect, test } from 'vitest';
import { planPoll, type LastLook, type PolledMachine, type PollPlan, type Sight } from './plan-poll.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const ago = (ms: number): string => new Date(now - ms).toISOString();
const address = { value: '10.0.0.5', type: 'ipv4', scope: 'local-cloud' } as const;
const remedy = 'gone: do something';

const machine = (more: Partial<PolledMachine> = {}): PolledMachine => ({
  instanceStatus: { status: 'running', message: 'Running', since: ago(600_000) },
  started: true,
  present: true,
  addresses: [address],
  remedy,
  replaceable: true,
  ...more,
});
const status = (name: string, since = ago(600_000), message = ''): PolledMachine['instanceStatus'] => ({
  status: name,
  message,
  since,
});
const sight = (more: Partial<Sight> = {}): Sight => ({
  status: 'running',
  message: '',
  addresses: [address],
  ...more,
});
const first: LastLook = { delayMs: 3_000, missing: false };
const gone: LastLook = { delayMs: 6_000, missing: true };
const lost = { present: false, instanceStatus: status('lost', ago(61_000), remedy) };

interface Case {
  name: string;
  machine: PolledMachine;
  sight: Sight | undefined;
  last?: LastLook;
  replaces?: boolean;
  plan: { readonly [P in keyof PollPlan]?: PollPlan[P] | undefined };
}
const nothing = { replace: false, status: undefined, addresses: undefined, zone: undefined };

test.each<Case>([
  {
    name: 'a started machine with a known address is looked at every 15 minutes',
    machine: machine(),
    sight: sight(),
    plan: { ...nothing, next: { delayMs: 900_000, missing: false } },
  },
  {
    name: 'a machine whose agent has not started is looked at soon, with growing delays',
    machine: machine({ started: false }),
    sight: sight(),
    plan: { ...nothing, next: { delayMs: 6_000, missing: false } },
  },
  {
    name: 'a machine whose agent has not started is looked at once a minute at least',
    machine: machine({ addresses: [] }),
    sight: sight({ addresses: [] }),
    last: { delayMs: 48_000, missing: false },
    plan: { ...nothing, next: { delayMs: 60_000, missing: false } },
  },
  {
    name: 'a machine whose agent has disconnected is looked at soon again',
    machine: machine({ present: false }),
    sight: sight(),
    last: { delayMs: 0, missing: false },
    plan: { ...nothing, next: { delayMs: 3_000, missing: false } },
  },
  {
    name: 'an instance that changes is looked at soon again',
    machine: machine(),
    sight: sight({ status: 'pending' }),
    last: { delayMs: 900_000, missing: false },
    plan: { status: { status: 'pending', message: 'Pending' }, next: { delayMs: 3_000, missing: false } },
  },
  {
    name: "the provider's message is the instance status",
    machine: machine(),
    sight: sight({ status: 'stopped', message: 'stopped by its owner' }),
    plan: { status: { status: 'stopped', message: 'Stopped by its owner' } },
  },
  {
    name: "the provisioner's status of a start under way stays",
    machine: machine({ instanceStatus: status('allocating') }),
    sight: sight({ status: 'stopped' }),
    plan: nothing,
  },
  {
    name: "the provisioner's status of a permanent failure stays",
    machine: machine({ instanceStatus: status('provisioning error') }),
    sight: sight({ status: 'stopped' }),
    plan: nothing,
  },
  {
    name: "the provisioner's status ends when the instance runs",
    machine: machine({ instanceStatus: status('allocating') }),
    sight: sight(),
    plan: { status: { status: 'running', message: 'Running' } },
  },
  {
    name: 'a provider that reports an unknown status changes nothing',
    machine: machine(),
    sight: sight({ status: 'unknown' }),
    plan: nothing,
  },
  {
    name: 'an instance that is not found once keeps its status',
    machine: machine({ present: false }),
    sight: undefined,
    plan: { ...nothing, next: { delayMs: 6_000, missing: true } },
  },
  {
    name: 'an instance that is not found twice is lost, with what to do as its message',
    machine: machine({ present: false }),
    sight: undefined,
    last: gone,
    plan: { replace: false, status: { status: 'lost', message: remedy } },
  },
  {
    name: 'an instance whose agent is connected exists, whatever the cloud lists',
    machine: machine(),
    sight: undefined,
    last: gone,
    plan: { ...nothing, next: { delayMs: 900_000, missing: false } },
  },
  {
    name: 'a lost instance that reappears is no longer lost',
    machine: machine(lost),
    sight: sight(),
    last: gone,
    plan: { status: { status: 'running', message: 'Running' } },
  },
  {
    name: 'a lost instance whose agent connects is no longer lost',
    machine: machine({ ...lost, present: true }),
    sight: undefined,
    last: gone,
    plan: {
      status: {
        status: 'running',
        message: 'Its agent is connected, though the cloud does not list the instance',
      },
    },
  },
  {
    name: 'a lost machine is only reported by default',
    machine: machine(lost),
    sight: undefined,
    last: gone,
    plan: nothing,
  },
  {
    name: 'a machine that was lost for a minute is replaced with lost-machines=replace',
    machine: machine(lost),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: { replace: true },
  },
  {
    name: 'a machine that was lost for less than a minute is not replaced',
    machine: machine({ ...lost, instanceStatus: status('lost', ago(59_000), remedy) }),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: nothing,
  },
  {
    name: "a lost machine is not replaced after the controller's first look",
    machine: machine(lost),
    sight: undefined,
    replaces: true,
    plan: nothing,
  },
  {
    name: 'a lost machine that no other instance can stand in for is not replaced',
    machine: machine({ ...lost, replaceable: false }),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: nothing,
  },
  {
    name: 'new addresses replace old ones and keep what the agent added to them',
    machine: machine({
      addresses: [
        { ...address, interfaceName: 'eth0' },
        { ...address, value: '192.0.2.1', scope: 'public' },
        { ...address, value: '172.17.0.1', origin: 'machine' },
      ],
    }),
    sight: sight({ addresses: [address, { ...address, value: '192.0.2.9', scope: 'public' }] }),
    plan: {
      addresses: [
        { ...address, interfaceName: 'eth0' },
        { ...address, value: '192.0.2.9', scope: 'public' },
        { ...address, value: '172.17.0.1', origin: 'machine' },
      ],
    },
  },
  {
    name: 'the same addresses change nothing',
    machine: machine({
      addresses: [
        { ...address, interfaceName: 'eth0' },
        { ...address, value: '172.17.0.1', origin: 'machine' },
      ],
    }),
    sight: sight(),
    plan: nothing,
  },
  {
    name: 'a cloud that knows no address for now removes none',
    machine: machine(),
    sight: sight({ addresses: [] }),
    plan: nothing,
  },
  {
    name: 'a zone that the cloud reports is recorded',
    machine: machine({ zone: 'a' }),
    sight: sight({ zone: 'b' }),
    plan: { zone: 'b' },
  },
])('$name', ({ machine, sight, last = first, replaces = false, plan }) => {
  expect({ ...nothing, ...planPoll(machine, sight, { last, replaces, now }) }).toMatchObject(plan);
});
