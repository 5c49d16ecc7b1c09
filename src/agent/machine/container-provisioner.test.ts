/** The agent of a machine starts, restarts and stops the containers on it (machines.md#provisioner). */
import { afterEach, expect, test } from 'vitest';
import {
  ProviderError,
  tagKeys,
  type ContainerBroker,
  type Instance,
  type StartParams,
} from '../../providers/contract/provider.ts';
import { FakeController } from '../../testing/fake-controller.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { simulatedHosts } from '../../testing/simulated-hooks.ts';
import type { ContainerRecord } from '../../wire/agent-records.ts';
import { MachineAgent } from './machine-agent.ts';

/** Machine with containers, which outlive its agent. */
class Machine {
  readonly clock = new ManualClock();
  readonly controller = new FakeController(this.clock);
  readonly there = new Map<string, Instance>();
  readonly started: StartParams[] = [];
  /** Errors for the next starts, in order. */
  readonly failures: Error[] = [];
  /** Starts wait for this promise. */
  gate: Promise<void> | undefined;
  beforeList: () => Promise<void> = () => Promise.resolve();
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
      list: async () => {
        await this.beforeList();
        return [...this.there.values()];
      },
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
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.until(() => host.record('0/lxd/0')?.instanceId === 'i-0/lxd/0');
  expect(host.started).toMatchObject([
    {
      machineId: '0/lxd/0',
      nonce: 'nonce-0/lxd/0',
      agent: { agentConf: 'secret of 0/lxd/0', toolsDir: '', dataDir: '/var/lib/juju' },
    },
  ]);
  await host.until(() => host.controller.statuses.includes('container 0/lxd/0: unpacking'));
});

test('a container that is added later is started too, at most as many at a time as the model allows', async () => {
  const host = newHost();
  host.controller.model = {
    ...host.controller.model,
    provisioning: { parallelMax: 2, harvest: 'destroyed' },
  };
  let open = (): void => undefined;
  host.gate = new Promise((resolve) => (open = resolve));
  host.start();
  for (let n = 0; n < 5; n++) host.set(`0/lxd/${n}`);
  await host.advanceUntil(() => host.started.length === 2);
  open();
  await host.advanceUntil(() =>
    [...host.controller.containers.values()].every(({ instanceId }) => instanceId),
  );
  expect([host.started.length, host.mostAtOnce]).toEqual([5, 2]);
});

test('a container that a crashed agent had started is adopted and not started twice', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.controller.onCall = (method) => {
    if (method === 'ContainerStarted') throw new Error('the controller is down');
  };
  host.start();
  await host.advanceUntil(() => host.there.size === 1);
  await host.agent?.stop();
  host.controller.onCall = () => undefined;
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  expect(host.there.size).toBe(1);
  expect(new Set(host.started.map(({ nonce }) => nonce)).size).toBe(1);
});

test('a container whose start by a crashed agent is recorded late is not started by the next agent', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.until(() => host.record('0/lxd/0')?.instanceId !== undefined);
  await host.agent?.stop();
  host.set('0/lxd/0', { nonce: running.nonce });
  const asked: unknown[] = [];
  host.controller.onCall = (method, params) => {
    if (method === 'PrepareContainers') asked.push(params);
  };
  host.beforeList = () => {
    host.beforeList = () => Promise.resolve();
    host.set('0/lxd/0', running);
    // The agent sees the record before the list.
    return host.advance(3);
  };
  host.start();
  await host.advanceUntil(() => asked.length > 0);
  await host.advance(60);
  expect(asked).toEqual([{ containers: ['0/lxd/0'], restarts: [] }]);
  expect(host.started).toHaveLength(1);
});

test('a late record that does not show a container’s start yet does not start it again', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.until(() => host.record('0/lxd/0')?.instanceId !== undefined);
  host.set('0/lxd/0', { nonce: running.nonce });
  await host.advance(5);
  expect(host.started.length).toBe(1);
  // Containers that are to be made again have another nonce, or none.
  host.there.clear();
  host.set('0/lxd/0');
  await host.advanceUntil(() => host.started.length === 2);
});

test('a crashed container is started again', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  const [id, instance] = [...host.there][0]!;
  host.there.set(id, { ...instance, status: 'stopped' });
  await host.advanceUntil(() => host.started.length === 2);
  expect(host.started[1]?.nonce).toBe(host.started[0]?.nonce);
});

test('a container that was removed from outside is lost until it is back', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  const [id, instance] = [...host.there][0]!;
  host.there.delete(id);
  await host.advanceUntil(() => host.record('0/lxd/0')?.lost === true);
  expect(host.started).toHaveLength(1);
  host.there.set(id, instance);
  await host.advanceUntil(() => host.record('0/lxd/0')?.lost === false);
});

test('a start that failed for a while is retried later', async () => {
  const host = newHost();
  host.failures.push(new ProviderError('transient', 'no room'));
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  expect(host.controller.statuses).toContain('container 0/lxd/0: later no room');
});

test('a start that waits for its next attempt is retried at once when the user asks for that', async () => {
  const host = newHost();
  for (let n = 0; n < 7; n++) host.failures.push(new ProviderError('transient', 'no room'));
  host.set('0/lxd/0', { pending: true });
  host.start();
  await host.advanceUntil(() => host.started.length === 7);
  host.set('0/lxd/0', { pending: false });
  await host.advance(60);
  expect(host.started, 'after minutes').toHaveLength(7);
  host.set('0/lxd/0', { pending: true });
  await host.until(() => host.record('0/lxd/0')?.instanceId !== undefined);
});

test('a start that failed permanently waits for the user to resolve it', async () => {
  const host = newHost();
  host.failures.push(new ProviderError('bad request', 'no such base'));
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.failed === true);
  await host.advance(100);
  expect(host.started).toHaveLength(1);
  host.set('0/lxd/0', { failed: false });
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
});

test('the instance of an abandoned attempt is stopped', async () => {
  const host = newHost();
  host.set('0/lxd/0', { nonce: 'old', failed: true });
  host.start();
  // The first pass lists all instances.
  for (let n = 0; n < 20; n++) {
    host.clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const tags = { [tagKeys.machine]: '0/lxd/0', [tagKeys.nonce]: 'old' };
  const made = { displayName: '', status: 'running', message: '', addresses: [], isolation: '' } as const;
  host.there.set('i-old', { id: 'i-old', tags, ...made });
  host.set('0/lxd/0', { nonce: 'new' });
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined && !host.there.has('i-old'));
});

test('a machine without support for containers reports that', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start(false);
  await host.advanceUntil(() => host.record('0/lxd/0')?.failed === true);
  expect(host.controller.statuses).toContain('container 0/lxd/0: never machine 0 cannot host containers');
});

test('a dead container is stopped, then its record is removed', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  host.set('0/lxd/0', { ...running, life: 'dead' });
  await host.advanceUntil(() => host.record('0/lxd/0') === undefined);
  expect(host.there.size).toBe(0);
});

test('a container that is to be kept is not stopped', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  host.set('0/lxd/0', { ...running, life: 'dead', keepInstance: true });
  await host.advanceUntil(() => host.record('0/lxd/0') === undefined);
  expect(host.there.size).toBe(1);
});

test.each([
  ['none', 1],
  ['unknown', 0],
  ['destroyed', 0],
  ['all', 0],
] as const)('harvest mode %s leaves instances of a dead container: %d', async (harvest, left) => {
  const host = newHost();
  host.controller.model = { ...host.controller.model, provisioning: { parallelMax: 2, harvest } };
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  host.set('0/lxd/0', { ...running, life: 'dead' });
  await host.advanceUntil(() => host.record('0/lxd/0') === undefined);
  expect(host.there.size).toBe(left);
});

test('a dying container that was never started becomes dead', async () => {
  const host = newHost();
  host.set('0/lxd/0', { life: 'dying' });
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0') === undefined);
  expect(host.started).toEqual([]);
});

test('the agent of a dying host removes its containers first', async () => {
  const host = newHost();
  host.set('0/lxd/0');
  host.start();
  await host.advanceUntil(() => host.record('0/lxd/0')?.instanceId !== undefined);
  host.controller.machine = { ...host.controller.machine!, life: 'dying' };
  host.set('0/lxd/0', { ...running, life: 'dying' });
  await host.advance(20);
  expect(host.controller.machine.life).toBe('dying');
  host.set('0/lxd/0', { ...running, life: 'dead' });
  await host.advanceUntil(() => host.controller.machine?.life === 'dead');
  expect([host.record('0/lxd/0'), host.there.size]).toEqual([undefined, 0]);
  await expect(host.agent?.done).resolves.toBe('removed');
});
