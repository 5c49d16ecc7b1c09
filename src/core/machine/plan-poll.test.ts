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
    name: 'a machine that has started, and whose address is known, is looked at every 15 minutes',
    machine: machine(),
    sight: sight(),
    plan: { ...nothing, next: { delayMs: 900_000, missing: false } },
  },
  {
    name: 'one whose agent has not started is looked at soon, and ever later',
    machine: machine({ started: false }),
    sight: sight(),
    plan: { ...nothing, next: { delayMs: 6_000, missing: false } },
  },
  {
    name: 'but once a minute at least',
    machine: machine({ addresses: [] }),
    sight: sight({ addresses: [] }),
    last: { delayMs: 48_000, missing: false },
    plan: { ...nothing, next: { delayMs: 60_000, missing: false } },
  },
  {
    name: 'when its agent has gone it is looked at again soon',
    machine: machine({ present: false }),
    sight: sight(),
    last: { delayMs: 0, missing: false },
    plan: { ...nothing, next: { delayMs: 3_000, missing: false } },
  },
  {
    name: 'an instance that changes is looked at again soon',
    machine: machine(),
    sight: sight({ status: 'pending' }),
    last: { delayMs: 900_000, missing: false },
    plan: { status: { status: 'pending', message: 'Pending' }, next: { delayMs: 3_000, missing: false } },
  },
  {
    name: "the provider's words are the status",
    machine: machine(),
    sight: sight({ status: 'stopped', message: 'stopped by its owner' }),
    plan: { status: { status: 'stopped', message: 'Stopped by its owner' } },
  },
  {
    name: 'what the provisioner says of a start under way stays',
    machine: machine({ instanceStatus: status('allocating') }),
    sight: sight({ status: 'stopped' }),
    plan: nothing,
  },
  {
    name: 'and that a start has failed for good',
    machine: machine({ instanceStatus: status('provisioning error') }),
    sight: sight({ status: 'stopped' }),
    plan: nothing,
  },
  {
    name: 'until the instance runs',
    machine: machine({ instanceStatus: status('allocating') }),
    sight: sight(),
    plan: { status: { status: 'running', message: 'Running' } },
  },
  {
    name: 'a provider that does not know says nothing new',
    machine: machine(),
    sight: sight({ status: 'unknown' }),
    plan: nothing,
  },
  {
    name: 'an instance that is not found once may be forgotten for a moment',
    machine: machine({ present: false }),
    sight: undefined,
    plan: { ...nothing, next: { delayMs: 6_000, missing: true } },
  },
  {
    name: 'not found twice, it is lost, and says what to do',
    machine: machine({ present: false }),
    sight: undefined,
    last: gone,
    plan: { replace: false, status: { status: 'lost', message: remedy } },
  },
  {
    name: 'an instance whose agent is connected is there, whatever the cloud lists',
    machine: machine(),
    sight: undefined,
    last: gone,
    plan: { ...nothing, next: { delayMs: 900_000, missing: false } },
  },
  {
    name: 'what reappears is lost no longer',
    machine: machine(lost),
    sight: sight(),
    last: gone,
    plan: { status: { status: 'running', message: 'Running' } },
  },
  {
    name: 'nor is one whose agent connects',
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
    name: 'with lost-machines=replace it is replaced when it was lost for a minute',
    machine: machine(lost),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: { replace: true },
  },
  {
    name: 'not sooner',
    machine: machine({ ...lost, instanceStatus: status('lost', ago(59_000), remedy) }),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: nothing,
  },
  {
    name: 'nor by a controller that has looked once',
    machine: machine(lost),
    sight: undefined,
    replaces: true,
    plan: nothing,
  },
  {
    name: 'nor what no other instance can stand in for',
    machine: machine({ ...lost, replaceable: false }),
    sight: undefined,
    last: gone,
    replaces: true,
    plan: nothing,
  },
  {
    name: 'new addresses take the place of old ones, and keep what the agent knows of them',
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
    name: 'the same addresses are nothing new',
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
    name: 'a cloud that knows no address for now takes none away',
    machine: machine(),
    sight: sight({ addresses: [] }),
    plan: nothing,
  },
  {
    name: 'a zone that the cloud tells is recorded',
    machine: machine({ zone: 'a' }),
    sight: sight({ zone: 'b' }),
    plan: { zone: 'b' },
  },
])('$name', ({ machine, sight, last = first, replaces = false, plan }) => {
  expect({ ...nothing, ...planPoll(machine, sight, { last, replaces, now }) }).toMatchObject(plan);
});
