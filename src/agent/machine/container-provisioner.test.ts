/** The agent of a machine makes, restarts and ends the containers on it (machines.md#provisioner). */
import { afterEach, expect, test } from 'vitest';
import {
  ProviderError,
  tagKeys,
  type ContainerBroker,
  type Instance,
  type StartParams,
} from '../../providers/provider.ts';
import { FakeController } from '../../testing/fake-controller.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { simulatedHosts } from '../../testing/simulated-hooks.ts';
import type { ContainerRecord } from '../../wire/agent-records.ts';
import { MachineAgent } from './machine-agent.ts';

/** What runs on the machine; outlives its agent. */
class Machine {
  readonly clock = new ManualClock();
  readonly controller = new FakeController(this.clock);
  readonly there = new Map<string, Instance>();
  readonly started: StartParams[] = [];
  /** Each start ends with the next of these, if there is one. */
  readonly failures: Error[] = [];
  /** Starts wait for this. */
  gate: Promise<void> | undefined;
  startsNow = 0;
  mostAtOnce = 0;
  readonly broker: ContainerBroker = {
    types: ['lxd'],
    instances: {
      start: async (params, signal) => {
        this.started.push(params);
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.startsNow);
        await this.gate;
        this.startsNow--;
        signal.throwIfAborted();
        const failure = this.failures.shift();
        if (failure) throw failure;
        params.progress('unpacking');
        const instance = this.#instance(params);
        this.there.set(instance.id, instance);
        return { instance, hardware: { mem: 64 } };
      },
      stop: (ids) => {
        for (const id of ids) this.there.delete(id);
        this.controller.changed();
        return Promise.resolve();
      },
      list: () => Promise.resolve([...this.there.values()]),
      get: (ids) => Promise.resolve(ids.map((id) => this.there.get(id))),
    },
  };
  agent: MachineAgent | undefined;

  #instance({ machineId, nonce, tags }: StartParams): Instance {
    return {
      id: `i-${machineId}`,
      displayName: machineId,
      status: 'running',
      message: '',
      addresses: [{ value: '10.0.0.9', type: 'ipv4', scope: 'local-cloud' }],
      tags: { ...tags, [tagKeys.nonce]: nonce },
      isolation: 'nested',
    };
  }

  start(hasContainers = true): void {
    this.agent = new MachineAgent({
      machineId: '0',
      version: '3.6.28',
      bootId: 'boot-1',
      connect: () => Promise.resolve(this.controller.connect()),
      hosts: simulatedHosts(),
      containers: hasContainers ? this.broker : undefined,
      runCommand: () => Promise.resolve({ kind: 'done', code: 0, reboot: '' }),
      facts: () => ({
        hostname: 'h',
        addresses: [],
        hardware: { arch: 'amd64', cores: 1, mem: 1 },
        version: '3.6.28',
      }),
      clock: this.clock,
      random: () => 0.5,
      newId: () => 'x',
      logSink: () => undefined,
    });
  }

  set(id: string, more: Partial<ContainerRecord> = {}): void {
    this.controller.containers.set(id, { id, life: 'alive', ...more });
    this.controller.changed();
  }
  record(id: string): ContainerRecord | undefined {
    return this.controller.containers.get(id);
  }
  until(condition: () => boolean): Promise<void> {
    return this.controller.until(condition);
  }
  async advanceUntil(condition: () => boolean): Promise<void> {
    for (let step = 0; !condition(); step++) {
      if (step > 200) throw new Error('it never happened');
      await this.advance(1);
    }
  }
  /** Second by second, with time for what each sets off. */
  async advance(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      this.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const machine = { current: new Machine() };
const here = (): Machine => (machine.current = new Machine());
afterEach(() => machine.current.agent?.stop());
const running = { nonce: 'nonce-0/lxd/0', instanceId: 'i-0/lxd/0' };

test('a container is started with what the controller answers, and the tools of its host', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.until(() => one.record('0/lxd/0')?.instanceId === 'i-0/lxd/0');
  expect(one.started).toMatchObject([
    {
      machineId: '0/lxd/0',
      nonce: 'nonce-0/lxd/0',
      agent: { agentConf: 'secret of 0/lxd/0', toolsDir: '', dataDir: '/var/lib/juju' },
    },
  ]);
  await one.until(() => one.controller.statuses.includes('container 0/lxd/0: unpacking'));
});

test('one that comes later is started too; so many at a time as the model says', async () => {
  const one = here();
  one.controller.model = {
    ...one.controller.model,
    provisioning: { parallelMax: 2, harvest: 'destroyed' },
  };
  let open = (): void => undefined;
  one.gate = new Promise((resolve) => (open = resolve));
  one.start();
  for (let n = 0; n < 5; n++) one.set(`0/lxd/${n}`);
  await one.advanceUntil(() => one.started.length === 2);
  open();
  await one.advanceUntil(() => [...one.controller.containers.values()].every(({ instanceId }) => instanceId));
  expect([one.started.length, one.mostAtOnce]).toEqual([5, 2]);
});

test('what an agent that died had started is adopted, not doubled', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.controller.onCall = (method) => {
    if (method === 'ContainerStarted') throw new Error('the controller is down');
  };
  one.start();
  await one.advanceUntil(() => one.there.size === 1);
  await one.agent?.stop();
  one.controller.onCall = () => undefined;
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  expect(one.there.size).toBe(1);
  expect(new Set(one.started.map(({ nonce }) => nonce)).size).toBe(1);
});

test('one that has crashed is started again', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  const [id, instance] = [...one.there][0]!;
  one.there.set(id, { ...instance, status: 'stopped' });
  await one.advanceUntil(() => one.started.length === 2);
  expect(one.started[1]?.nonce).toBe(one.started[0]?.nonce);
});

test('one that somebody took away is lost, until it is there again', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  const [id, instance] = [...one.there][0]!;
  one.there.delete(id);
  await one.advanceUntil(() => one.record('0/lxd/0')?.lost === true);
  expect(one.started).toHaveLength(1);
  one.there.set(id, instance);
  await one.advanceUntil(() => one.record('0/lxd/0')?.lost === false);
});

test('a failure that passes is tried again, later', async () => {
  const one = here();
  one.failures.push(new ProviderError('transient', 'no room'));
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  expect(one.controller.statuses).toContain('container 0/lxd/0: later no room');
});

test('what waits for its next attempt is tried at once when somebody asks for that', async () => {
  const one = here();
  for (let n = 0; n < 7; n++) one.failures.push(new ProviderError('transient', 'no room'));
  one.set('0/lxd/0', { pending: true });
  one.start();
  await one.advanceUntil(() => one.started.length === 7);
  one.set('0/lxd/0', { pending: false });
  await one.advance(60);
  expect(one.started, 'after minutes').toHaveLength(7);
  one.set('0/lxd/0', { pending: true });
  await one.until(() => one.record('0/lxd/0')?.instanceId !== undefined);
});

test('one that stays waits until somebody repairs it', async () => {
  const one = here();
  one.failures.push(new ProviderError('bad request', 'no such base'));
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.failed === true);
  await one.advance(100);
  expect(one.started).toHaveLength(1);
  one.set('0/lxd/0', { failed: false });
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
});

test('what an attempt that was given up has made is stopped', async () => {
  const one = here();
  one.set('0/lxd/0', { nonce: 'old', failed: true });
  one.start();
  // The first look at all there is.
  for (let n = 0; n < 20; n++) {
    one.clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const tags = { [tagKeys.machine]: '0/lxd/0', [tagKeys.nonce]: 'old' };
  const made = { displayName: '', status: 'running', message: '', addresses: [], isolation: '' } as const;
  one.there.set('i-old', { id: 'i-old', tags, ...made });
  one.set('0/lxd/0', { nonce: 'new' });
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined && !one.there.has('i-old'));
});

test('a machine without containers says so', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start(false);
  await one.advanceUntil(() => one.record('0/lxd/0')?.failed === true);
  expect(one.controller.statuses).toContain('container 0/lxd/0: never machine 0 cannot host containers');
});

test('a dead one is stopped, then its record goes', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.set('0/lxd/0', { ...running, life: 'dead' });
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.there.size).toBe(0);
});

test('one that is to be kept is left', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.set('0/lxd/0', { ...running, life: 'dead', keepInstance: true });
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.there.size).toBe(1);
});

test.each([
  ['none', 1],
  ['unknown', 0],
  ['destroyed', 0],
  ['all', 0],
] as const)('in harvest mode %s so many are left of a dead one: %d', async (harvest, left) => {
  const one = here();
  one.controller.model = { ...one.controller.model, provisioning: { parallelMax: 2, harvest } };
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.set('0/lxd/0', { ...running, life: 'dead' });
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.there.size).toBe(left);
});

test('a dying one that was never started is ended', async () => {
  const one = here();
  one.set('0/lxd/0', { life: 'dying' });
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.started).toEqual([]);
});

test('the agent of a dying host ends its containers first', async () => {
  const one = here();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.controller.machine = { ...one.controller.machine!, life: 'dying' };
  one.set('0/lxd/0', { ...running, life: 'dying' });
  await one.advance(20);
  expect(one.controller.machine.life).toBe('dying');
  one.set('0/lxd/0', { ...running, life: 'dead' });
  await one.advanceUntil(() => one.controller.machine?.life === 'dead');
  expect([one.record('0/lxd/0'), one.there.size]).toEqual([undefined, 0]);
  await expect(one.agent?.done).resolves.toBe('removed');
});
