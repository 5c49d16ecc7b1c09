import { expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import { JujuError } from '../core/errors.ts';
import { systemClock } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import type { AgentConf } from '../wire/agent-conf.ts';
import { OwnPassword } from './own-password.ts';
import { eventually } from '../testing/eventually.ts';

const first: AgentConf = {
  tag: 'machine-0',
  controller: 'c',
  model: 'm',
  apiAddresses: ['a:1'],
  caCert: 'CA',
  apiPassword: 'first',
  oldPassword: 'first',
  nonce: 'n',
  upgradedToVersion: '3.6.28',
  providerType: 'lxd',
};

/** Power loss or kill: nothing that would follow happens. */
class Crash extends Error {}

/** Disk and a controller, which outlive agents. An agent can crash before or after each step. */
class World {
  conf = first;
  password = 'first';
  logins: string[] = [];
  #made = 0;
  #crash: { step: number; when: 'before' | 'after' } | undefined;
  #step = 0;

  /** Runs an agent up to its first connection. Returns whether it connected. */
  async agent(crash?: { step: number; when: 'before' | 'after' }): Promise<boolean> {
    this.#crash = crash;
    this.#step = 0;
    const password = new OwnPassword(this.conf, {
      save: (conf) => this.#does(() => (this.conf = conf)),
      newPassword: () => `own ${++this.#made}`,
      clock: systemClock,
      log: silentLog,
    });
    try {
      await password.logIn((password) => this.#connect(password), new AbortController().signal);
      // The agent catches a crash like any error; its later steps are suppressed.
      return !this.#crashed;
    } catch (error) {
      if (error instanceof Crash) return false;
      throw error;
    }
  }

  get steps(): number {
    return this.#step;
  }

  async #connect(password: string): Promise<Connection> {
    this.logins.push(password);
    if (password !== this.password)
      throw new JujuError('unauthorized access', 'invalid entity name or password');
    return {
      call: <R>(facade: string, method: string, params: unknown) =>
        this.#does(() => {
          expect(`${facade}.${method}`).toBe('MachineAgent.SetPassword');
          this.password = (params as { password: string }).password;
        }) as Promise<R>,
      login: undefined as never,
      closed: new Promise(() => undefined),
      close: () => Promise.resolve(),
    };
  }

  get #crashed(): boolean {
    return this.#crash !== undefined && this.#step >= this.#crash.step;
  }

  async #does(effect: () => void): Promise<void> {
    if (this.#crashed) throw new Crash();
    this.#step++;
    if (this.#crashed && this.#crash!.when === 'before') throw new Crash();
    effect();
    if (this.#crashed) throw new Crash();
  }
}

test('the first password is replaced at the first login, and only then', async () => {
  const world = new World();
  expect(await world.agent()).toBe(true);
  const { oldPassword: _, ...rest } = first;
  expect(world.conf).toEqual({ ...rest, apiPassword: 'own 1' });
  expect(world.password).toBe('own 1');
  expect(world.steps).toBe(3);
  expect(await world.agent()).toBe(true);
  expect(world.steps).toBe(0);
  expect(world.logins).toEqual(['first', 'own 1']);
});

test.each([1, 2, 3].flatMap((step) => (['before', 'after'] as const).map((when) => [when, step] as const)))(
  'an agent that crashes %s step %i can log in again',
  async (when, step) => {
    const world = new World();
    expect(await world.agent({ step, when })).toBe(false);
    // The agent crashes once more, in the middle of the repair.
    await world.agent({ step: 1, when });
    expect(await world.agent()).toBe(true);
    expect(world.conf.oldPassword).toBeUndefined();
    expect(world.conf.apiPassword).toBe(world.password);
    expect(world.password).not.toBe('first');
  },
);

test('an agent can log in while the disk is full', async () => {
  const password = new OwnPassword(first, {
    save: () => Promise.reject(new Error('ENOSPC')),
    newPassword: () => 'own',
    clock: systemClock,
    log: silentLog,
  });
  const connection = {} as Connection;
  expect(await password.logIn(() => Promise.resolve(connection), new AbortController().signal)).toBe(
    connection,
  );
  expect(password.accepted).toBe('first');
});

test('the second password is tried only when the first one is refused', async () => {
  const tried: string[] = [];
  const password = new OwnPassword(
    { ...first, apiPassword: 'new' },
    {
      save: () => Promise.resolve(),
      newPassword: () => 'own',
      clock: systemClock,
      log: silentLog,
    },
  );
  const connect = (password: string): Promise<Connection> => {
    tried.push(password);
    return Promise.reject(new JujuError('try again', 'nobody answers'));
  };
  await expect(password.logIn(connect, new AbortController().signal)).rejects.toThrow('nobody answers');
  expect(tried).toEqual(['new']);
});

test('a password that cannot be replaced yet is replaced once the start is recorded, and the agent is connected meanwhile', async () => {
  let conf = first;
  let answers = 0;
  const waits: number[] = [];
  const password = new OwnPassword(conf, {
    save: (next) => Promise.resolve(void (conf = next)),
    newPassword: () => 'own',
    clock: { now: () => 0, sleep: (ms) => Promise.resolve(void waits.push(ms)) },
    log: silentLog,
  });
  const call = (): Promise<unknown> =>
    ++answers < 3 ? Promise.reject(new JujuError('try again', 'not recorded yet')) : Promise.resolve({});
  const connection = { call } as unknown as Connection;
  expect(await password.logIn(() => Promise.resolve(connection), new AbortController().signal)).toBe(
    connection,
  );
  expect(password.accepted).toBe('first');
  await eventually(() => expect(password.accepted).toBe('own'));
  await eventually(() => expect(conf.oldPassword).toBeUndefined());
  expect(waits).toEqual([1000, 2000]);
});
