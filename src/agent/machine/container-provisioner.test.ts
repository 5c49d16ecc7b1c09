/** The agent of a machine starts, restarts and stops the containers on it (machines.md#provisioner). */
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

/** The containers of a machine, which outlive its agent. */
class Machine {
  readonly clock = new ManualClock();
  readonly controller = new FakeController(this.clock);
  readonly there = new Map<string, Instance>();
  readonly started: StartParams[] = [];
  /** Errors for the next starts, in order. */
  readonly failures: Error[] = [];
  /** Starts wait for this promise. */
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
  /** Advances the clock second by second, and lets pending work run after each. */
  async advance(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      this.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const machine = { current: new Machine() };
const newHost = (): Machine => (machine.current = new Machine());
afterEach(() => machine.current.agent?.stop());
const running = { nonce: 'nonce-0/lxd/0', instanceId: 'i-0/lxd/0' };

test('a container is started with the controller’s answer and its host’s tools', async () => {
  const one = newHost();
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

test('a container that is added later is started too, at most as many at a time as the model allows', async () => {
  const one = newHost();
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

test('a container that a crashed agent had started is adopted and not started twice', async () => {
  const one = newHost();
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

test('a crashed container is started again', async () => {
  const one = newHost();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  const [id, instance] = [...one.there][0]!;
  one.there.set(id, { ...instance, status: 'stopped' });
  await one.advanceUntil(() => one.started.length === 2);
  expect(one.started[1]?.nonce).toBe(one.started[0]?.nonce);
});

test('a container that was removed from outside is lost until it is back', async () => {
  const one = newHost();
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

test('a start that failed for a while is retried later', async () => {
  const one = newHost();
  one.failures.push(new ProviderError('transient', 'no room'));
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  expect(one.controller.statuses).toContain('container 0/lxd/0: later no room');
});

test('a start that waits for its next attempt is retried at once when the user asks for that', async () => {
  const one = newHost();
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

test('a start that failed permanently waits for the user to resolve it', async () => {
  const one = newHost();
  one.failures.push(new ProviderError('bad request', 'no such base'));
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.failed === true);
  await one.advance(100);
  expect(one.started).toHaveLength(1);
  one.set('0/lxd/0', { failed: false });
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
});

test('the instance of an abandoned attempt is stopped', async () => {
  const one = newHost();
  one.set('0/lxd/0', { nonce: 'old', failed: true });
  one.start();
  // The first pass lists all instances.
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

test('a machine without support for containers reports that', async () => {
  const one = newHost();
  one.set('0/lxd/0');
  one.start(false);
  await one.advanceUntil(() => one.record('0/lxd/0')?.failed === true);
  expect(one.controller.statuses).toContain('container 0/lxd/0: never machine 0 cannot host containers');
});

test('a dead container is stopped, then its record is removed', async () => {
  const one = newHost();
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.set('0/lxd/0', { ...running, life: 'dead' });
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.there.size).toBe(0);
});

test('a container that is to be kept is not stopped', async () => {
  const one = newHost();
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
  const one = newHost();
  one.controller.model = { ...one.controller.model, provisioning: { parallelMax: 2, harvest } };
  one.set('0/lxd/0');
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0')?.instanceId !== undefined);
  one.set('0/lxd/0', { ...running, life: 'dead' });
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.there.size).toBe(left);
});

test('a dying container that was never started becomes dead', async () => {
  const one = newHost();
  one.set('0/lxd/0', { life: 'dying' });
  one.start();
  await one.advanceUntil(() => one.record('0/lxd/0') === undefined);
  expect(one.started).toEqual([]);
});

test('the agent of a dying host removes its containers first', async () => {
  const one = newHost();
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
