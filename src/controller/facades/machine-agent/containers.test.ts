/** Tests of a host agent's access to containers: those on its host, and no others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { ProviderError } from '../../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { parseAgentConf } from '../../../wire/agent-conf.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import { addMachine } from '../../transactions/begin/add-machine.ts';
import { setStatus, statusOf } from '../../transactions/tx.ts';
import { defined } from '../../../core/defined.ts';

type Methods = MachineAgentMethods;

let callers: Callers;
/** Creates machines 0 and 1, with a container on each. */
beforeEach(async () => {
  callers = await createCallers();
  await callers.change((tx) => {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const add = (placement?: { scope: string; directive: string }): MachineDoc =>
      addMachine(tx, {
        base,
        constraints: { mem: 512 },
        ...defined({ placement }),
        removeWhenEmpty: false,
        containerTypes: ['lxd'],
      });
    for (const { id } of [add(), add()]) add({ scope: 'lxd', directive: id });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const as = (machine: string) => ({ as: { kind: 'machine' as const, machine } });
const call = <M extends keyof Methods>(
  method: M,
  params: Methods[M]['params'],
  machine = '0',
): Promise<Methods[M]['result']> => callers.call('MachineAgent', method, params, as(machine));
const doc = (id = '0/lxd/0'): MachineDoc | undefined => callers.view().get('machine', id);
const instanceStatus = (id = '0/lxd/0') => {
  const { status, message } = statusOf(callers.view(), 'instance', id, '');
  return `${status}: ${message}`;
};
const instance = {
  id: 'i-9',
  displayName: 'box-9',
  status: 'running',
  message: '',
  isolation: 'nested',
  addresses: [{ value: '10.0.0.9', type: 'ipv4', scope: 'local-cloud' } as const],
};
async function begin(): Promise<string> {
  const { starts } = await call('PrepareContainers', { containers: ['0/lxd/0'] });
  const [start] = starts;
  if (!start || !('nonce' in start)) throw new Error('nothing was begun');
  return start.nonce;
}
const kill = (life: MachineDoc['life']): Promise<void> =>
  callers.change((tx) => tx.put('machine', '0/lxd/0', { ...tx.get('machine', '0/lxd/0')!, life }));

const params: { [M in keyof Methods]?: (container: string) => Methods[M]['params'] } = {
  PrepareContainers: (container) => ({ containers: [container] }),
  ContainerStarted: (container) => ({ container, nonce: 'n', instance, hardware: {} }),
  ContainerFailed: (container) => ({
    container,
    class: 'transient',
    message: 'no',
    attempt: 1,
    next: { kind: 'never' },
    leftNothing: true,
  }),
  ContainerStatus: (container) => ({ container, message: 'm' }),
  ContainersEnded: (container) => ({ kill: [container], renew: [], forget: [] }),
  ContainersSeen: (container) => ({ lost: [container], back: [] }),
  ContainersUnreleased: (container) => ({ failures: [{ container, message: 'm' }] }),
};

describe.each(Object.entries(params))('%s', (method, of) => {
  test.each(['1/lxd/0', '1', '0', '7/lxd/0', '00/lxd/0'])(
    'a call about %s is refused to the agent of machine 0, and changes nothing',
    async (container) => {
      const before = callers.store.read().revision;
      await expect(callers.call('MachineAgent', method, of(container), as('0'))).rejects.toMatchObject({
        code: 'unauthorized access',
      });
      expect(callers.store.read().revision).toBe(before);
    },
  );

  test('a call about a removed container does nothing, since it may be a repeated one', async () => {
    await callers.call('MachineAgent', method, of('0/lxd/7'), as('0'));
    expect(doc('0/lxd/7')).toBeUndefined();
  });
});

test('a start is durable, with a password of the container’s own, and its repetition returns the same', async () => {
  const { starts } = await call('PrepareContainers', { containers: ['0/lxd/0'] });
  const [start] = starts;
  if (!start || !('nonce' in start)) throw new Error('nothing was begun');
  expect(start).toMatchObject({
    container: '0/lxd/0',
    isFirst: true,
    ran: false,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: { mem: 512 },
    tags: { 'juju-machine-id': '0/lxd/0', 'juju-nonce': start.nonce, 'juju-model-uuid': callers.model },
    agent: { dataDir: '/var/lib/juju', version: '3.6.28' },
  });
  expect(start.agent).not.toHaveProperty('toolsDir');
  expect(parseAgentConf(start.agent.agentConf)).toMatchObject({
    tag: 'machine-0-lxd-0',
    nonce: start.nonce,
    model: callers.model,
  });
  expect(doc()).toMatchObject({ nonce: start.nonce, passwordHash: expect.any(String) as string });
  expect(instanceStatus()).toBe('allocating: starting');
  expect(await begin()).toBe(start.nonce);
});

test('a container that is dead, or dying without having been started, is not started', async () => {
  for (const life of ['dying', 'dead'] as const) {
    await kill(life);
    expect(await call('PrepareContainers', { containers: ['0/lxd/0'] })).toEqual({ starts: [] });
  }
});

test('a started container is recorded once, and an instance with another nonce is not kept', async () => {
  const nonce = await begin();
  const started = { container: '0/lxd/0', instance, hardware: { mem: 512 } };
  expect(await call('ContainerStarted', { ...started, nonce: 'other' })).toEqual({ kept: false });
  for (let n = 0; n < 2; n++)
    expect(await call('ContainerStarted', { ...started, nonce })).toEqual({ kept: true });
  expect(doc()).toMatchObject({
    instance: { id: 'i-9', isolation: 'nested', hardware: { mem: 512 } },
    addresses: [{ value: '10.0.0.9' }],
  });
  expect(instanceStatus()).toBe('running: Running');
});

test('a start by a caller that does not know yet that the container runs changes nothing', async () => {
  const nonce = await begin();
  await call('ContainerStarted', { container: '0/lxd/0', nonce, instance, hardware: {} });
  const stale = { containers: ['0/lxd/0'], restarts: [] };
  expect(await call('PrepareContainers', stale)).toEqual({ starts: [] });
  expect(instanceStatus()).toBe('running: Running');
  const { starts } = await call('PrepareContainers', { ...stale, restarts: ['0/lxd/0'] });
  expect(starts).toMatchObject([{ nonce, ran: true, existing: true }]);
  expect(instanceStatus()).toBe('allocating: starting');
});

test('problems are shown in the container’s status', async () => {
  await begin();
  await call('ContainerStatus', { container: '0/lxd/0', message: 'unpacking' });
  expect(instanceStatus()).toBe('allocating: unpacking');
  const failed = { container: '0/lxd/0', message: 'no room', attempt: 1, leftNothing: true };
  await call('ContainerFailed', {
    ...failed,
    class: 'transient',
    next: { kind: 'later', failedZones: [] },
    at: '2026-01-01T00:00:02.000Z',
  });
  expect(instanceStatus()).toBe('allocating: attempt 1 failed, next at 00:00:02Z: no room');
  await call('ContainerFailed', { ...failed, class: 'bad request', next: { kind: 'never' } });
  expect(instanceStatus()).toBe('provisioning error: no room');
  expect(doc()?.instance).toBeUndefined();
});

test('a container that is gone from its host is lost with a remedy in its message, and may come back', async () => {
  const nonce = await begin();
  await call('ContainersSeen', { lost: ['0/lxd/0'], back: [] });
  expect(instanceStatus()).toBe('allocating: starting');
  await call('ContainerStarted', { container: '0/lxd/0', nonce, instance, hardware: {} });
  await call('ContainersSeen', { lost: ['0/lxd/0'], back: [] });
  expect(instanceStatus()).toBe(
    'lost: the instance no longer exists in the cloud: "remove-machine --force" removes the machine',
  );
  await call('ContainersSeen', { lost: [], back: ['0/lxd/0'] });
  expect(instanceStatus()).toBe('running: Running');
});

test('dying containers that were never started become dead, dead ones are removed, and kept instances are remembered', async () => {
  await kill('dying');
  await call('ContainersEnded', { kill: ['0/lxd/0'], renew: [], forget: [] });
  expect(doc()?.life).toBe('dead');
  await call('ContainersUnreleased', { failures: [{ container: '0/lxd/0', message: 'it hangs' }] });
  expect(instanceStatus()).toBe('error: it hangs');
  const forget = { kill: [], renew: [], forget: [{ container: '0/lxd/0', keptInstance: 'i-9' }] };
  for (let n = 0; n < 2; n++) await call('ContainersEnded', forget);
  expect(doc()).toBeUndefined();
  expect(callers.view().in('').get('model', callers.model)?.keptInstances).toEqual(['i-9']);
});

test('the record stays while the cloud does not take an address back, and the agent asks again', async () => {
  await using failing = await createCallers({
    environ: {
      containers: {
        types: ['lxd'],
        releaseAddresses: () => Promise.reject(new ProviderError('quota', 'too many calls')),
      },
    },
  });
  await failing.change((tx) => {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const args = { base, constraints: {}, removeWhenEmpty: false, containerTypes: ['lxd'] };
    const host = addMachine(tx, args);
    const container = addMachine(tx, { ...args, placement: { scope: 'lxd', directive: host.id } });
    tx.put('machine', container.id, { ...container, life: 'dead', nonce: 'n' });
  });
  await expect(
    failing.call(
      'MachineAgent',
      'ContainersEnded',
      { kill: [], renew: [], forget: [{ container: '0/lxd/0' }] },
      as('0'),
    ),
  ).rejects.toMatchObject({
    code: 'try again',
    message: 'cannot release addresses of containers: too many calls',
  });
  expect(failing.view().get('machine', '0/lxd/0')?.life).toBe('dead');
});

test('an alive container is neither killed nor forgotten', async () => {
  await call('ContainersEnded', { kill: ['0/lxd/0'], renew: [], forget: [{ container: '0/lxd/0' }] });
  expect(doc()?.life).toBe('alive');
});

test('the agent of the container logs in as machine-0-lxd-0, and is not a host of itself', async () => {
  await begin();
  await callers.call(
    'MachineAgent',
    'Started',
    { hostname: 'box', addresses: [], hardware: { arch: 'amd64', cores: 1, mem: 1 }, version: '3.6.28' },
    as('0/lxd/0'),
  );
  expect(doc()?.hostname).toBe('box');
  await expect(
    callers.call('MachineAgent', 'PrepareContainers', { containers: ['0/lxd/0'] }, as('0/lxd/0')),
  ).rejects.toMatchObject({ code: 'unauthorized access' });
});

test('a host cannot be dead while containers are on it, whatever its agent says', async () => {
  await callers.change((tx) => {
    tx.put('machine', '0', { ...tx.get('machine', '0')!, life: 'dying' });
    setStatus(tx, 'machine-agent', '0', 'started');
  });
  await expect(call('MachineDead', {})).rejects.toMatchObject({ code: 'machine is hosting containers' });
});
