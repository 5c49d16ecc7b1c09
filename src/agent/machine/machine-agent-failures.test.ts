/** Machine agent in the simulation: failing hooks, limits, removals, crashes and lost connections. */
import { afterEach, describe, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { bench, stopBenches, type Bench } from '../../testing/machine-bench.ts';
import { simulatedHosts, type SimulatedCharm } from '../../testing/simulated-hooks.ts';

afterEach(stopBenches);

describe('failing hooks', () => {
  const failing = (times: number): SimulatedCharm => {
    let left = times;
    return ({ name, context }) => {
      if (name !== 'config-changed' || left-- <= 0) return undefined;
      context.changes.charmState.set.set('never', 'kept');
      return { kind: 'failed', code: 1, message: 'exit status 1' };
    };
  };
  const deployed = (charm: SimulatedCharm): Bench => {
    const b = bench(charm);
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    return b;
  };

  test('a failed hook is shown and retried, and its deferred changes are dropped', async () => {
    const b = deployed(failing(2));
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    expect(b.controller.statuses).toContain('unit-agent web/0: error hook failed: "config-changed"');
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
    expect(b.hooks('web/0')).toEqual([
      'install',
      'leader-elected',
      'config-changed',
      'config-changed',
      'config-changed',
      'start',
    ]);
    expect(b.controller.units.get('web/0')?.charmState).toEqual({});
    expect(b.controller.commits.map((commit) => commit.hookId)).toHaveLength(4);
  });

  test('a hook that fails for want of snapd is shown with what to do', async () => {
    let failures = 0;
    const b = deployed(({ name, log }) => {
      if (name !== 'config-changed' || ++failures > 1) return undefined;
      log('stderr', 'hooks/config-changed: line 2: snap: command not found');
      return { kind: 'failed', code: 127, message: 'exit status 127' };
    });
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    expect(b.controller.statuses).toContain(
      'unit-agent web/0: error hook failed: "config-changed": its machine has no snapd: charms that install snaps need machines of lxd, or manual ones with snapd',
    );
  });

  test.each([
    { resolved: 'retry-hooks' as const, hooks: ['config-changed', 'config-changed', 'start'] },
    { resolved: 'no-hooks' as const, hooks: ['config-changed', 'start'] },
  ])('a failed hook waits for resolved when the model says so: $resolved', async ({ resolved, hooks }) => {
    const b = bench(failing(1));
    b.controller.model.retryHooks = false;
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    b.controller.setUnit('web/0', { resolved });
    await b.idle('web/0');
    expect(b.hooks('web/0').slice(2)).toEqual(hooks);
    expect(b.controller.units.get('web/0')?.resolved).toBe('');
  });

  test('failing hooks of a unit that is removed by force hold nothing up, and hooks that work still run', async () => {
    const fails = ['config-changed', 'stop'];
    const b = deployed(({ name }) =>
      fails.includes(name) ? { kind: 'failed', code: 1, message: '' } : undefined,
    );
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    b.controller.setUnit('web/0', { life: 'dying' });
    b.controller.setApplication('web', { life: 'dying', forced: true });
    // The clock is not advanced: nothing is waited for.
    await b.controller.until(() => b.controller.units.get('web/0')?.life === 'dead');
    expect(b.hooks('web/0').slice(2)).toEqual(['config-changed', 'start', 'stop', 'remove']);
  });

  test('a hook fails when the controller refuses its changes', async () => {
    const b = bench();
    let refused = 0;
    b.controller.onCall = (method) => {
      if (method === 'CommitHook' && ++refused === 1) throw new JujuError('', 'port conflict');
    };
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
    expect(b.hooks('web/0').slice(0, 2)).toEqual(['install', 'install']);
  });
});

describe('limits of the controller', () => {
  const tooLarge = (): never => {
    throw new JujuError('quota limit exceeded', 'charm state of unit web/0: 3 bytes exceed the limit of 2');
  };
  const deployed = (charm?: SimulatedCharm): Bench => {
    const b = bench(charm);
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    return b;
  };

  test('a hook that exceeds a limit fails, is retried at growing intervals and can be resolved', async () => {
    const b = deployed();
    b.controller.onCall = (method, params) => {
      if (method === 'CommitHook' && (params as { charmState?: unknown }).charmState) tooLarge();
    };
    b.hosts = simulatedHosts(({ name, context }) => {
      if (name === 'config-changed') context.changes.charmState.set.set('a', 'b');
    });
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    expect(b.controller.statuses.at(-1)).toBe(
      'unit-agent web/0: error hook failed: "config-changed": committing requested changes failed: charm state of unit web/0: 3 bytes exceed the limit of 2',
    );
    const runs = (): number => b.hooks('web/0').filter((hook) => hook === 'config-changed').length;
    const start = b.clock.now();
    await b.advanceUntil(() => b.clock.now() >= start + 3_600_000, 10_000);
    expect(runs()).toBeGreaterThan(3);
    expect(runs()).toBeLessThan(25);
    b.controller.setUnit('web/0', { resolved: 'no-hooks' });
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
    expect(b.hooks('web/0').at(-1)).toBe('start');
  });

  test('a limit on the unit’s saved state is shown, and the agent continues when there is room', async () => {
    const b = deployed();
    b.controller.onCall = (method) => {
      if (method === 'SaveState') tooLarge();
    };
    b.start();
    await b.controller.until(() => b.agentStatus('web/0')?.startsWith('error charm state of unit') === true);
    b.controller.onCall = () => undefined;
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
  });
});

describe('removal', () => {
  test('removing a unit with a subordinate ends both, and then the machine', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addApplication('log', { subordinate: true });
    b.controller.addRelation(1, 'log:host web:juju-info', 'container');
    b.controller.addUnit('web');
    const agent = b.start();
    await b.controller.until(() => b.hooks('log/0').includes('host-relation-changed'));
    b.controller.destroyUnit('web/0');
    await b.controller.until(() => b.controller.units.size === 0);
    expect(b.hooks('web/0').slice(-4)).toEqual([
      'juju-info-relation-departed',
      'juju-info-relation-broken',
      'stop',
      'remove',
    ]);
    expect(b.hooks('log/0').slice(-2)).toEqual(['stop', 'remove']);
    const { runs } = b.hosts;
    expect(runs.indexOf('log/0 remove'), 'its subordinate is gone before it stops').toBeLessThan(
      runs.indexOf('web/0 stop'),
    );
    expect(b.controller.statuses).toContain('workload web/0: terminated');
    expect(await b.hosts.list()).toEqual([]);

    b.controller.machine = { ...b.controller.machine!, life: 'dying' };
    b.controller.changed();
    expect(await agent.done).toBe('removed');
    expect(b.controller.statuses.at(-1)).toBe('machine-agent : stopped');
    expect(b.controller.machine.life).toBe('dead');
  });

  test('the agent of a machine that was removed while it was away ends, when the controller knows that the machine existed', async () => {
    const b = bench();
    const answers = ['unauthorized access', 'model not found', 'try again', 'dead'] as const;
    let asked = 0;
    const agent = b.start('boot-1', () =>
      Promise.reject(new JujuError(answers[Math.min(asked++, answers.length - 1)]!, 'no')),
    );
    await b.advanceUntil(() => asked === answers.length);
    expect(await agent.done).toBe('removed');
    expect(asked).toBe(answers.length);
  });

  test('removing a subordinate’s last relation ends the subordinate only', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addApplication('log', { subordinate: true });
    b.controller.addRelation(1, 'log:host web:juju-info', 'container');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.hooks('log/0').includes('host-relation-changed'));
    b.controller.relations.get(1)!.life = 'dying';
    b.controller.changed();
    await b.controller.until(() => !b.controller.units.has('log/0') && b.controller.relations.size === 0);
    await b.idle('web/0');
    expect(b.hooks('web/0').slice(-2)).toEqual(['juju-info-relation-departed', 'juju-info-relation-broken']);
    expect([...b.controller.units.keys()]).toEqual(['web/0']);
  });

  test('a unit that was removed before it was deployed is never started', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.setUnit('web/0', { life: 'dying' });
    b.start();
    await b.controller.until(() => b.controller.units.size === 0);
    expect(b.hosts.runs).toEqual([]);
  });

  test('a unit whose record vanishes is stopped, even within a hook', async () => {
    const b = bench(({ name, signal }) =>
      name === 'start'
        ? new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(signal.reason as Error)),
          )
        : undefined,
    );
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'executing running start hook');
    b.controller.units.delete('web/0');
    b.controller.addUnit('web');
    await b.controller.until(() => b.agentStatus('web/1') === 'executing running start hook');
    expect(await b.hosts.list()).toEqual(['web/1']);
  });

  test.each(['dead', 'unauthorized access'] as const)(
    'a unit whose record vanishes while it is deployed leaves no files (%s)',
    async (code) => {
      const b = bench();
      b.controller.addApplication('web');
      b.controller.addUnit('web');
      b.start();
      await b.idle('web/0');
      let refused = false;
      b.controller.onCall = (method, params) => {
        if (method !== 'UnitDeployed' || (params as { unit: string }).unit !== 'web/1') return;
        refused = true;
        b.controller.units.delete('web/1');
        throw new JujuError(code, 'it went');
      };
      b.controller.addUnit('web');
      await b.advanceUntil(() => refused);
      b.controller.addUnit('web');
      await b.advanceUntil(() => b.agentStatus('web/2') === 'idle');
      expect(await b.hosts.list()).toEqual(['web/0', 'web/2']);
    },
  );
});

describe('crashes and lost connections', () => {
  test('a unit whose agent is killed between entering a scope and saving that leaves the scope when the relation ends', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addApplication('mysql');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    // Hook contexts: the controller records the unit in the scope, but its agent gets no answer.
    let entered = false;
    b.controller.afterCall = (method) => {
      if (method !== 'EnterScope') return;
      entered = true;
      throw new JujuError('try again', 'connection lost');
    };
    b.controller.addRelation(7, 'web:db mysql:server');
    await b.controller.until(() => entered);
    await b.agent?.stop();
    b.controller.afterCall = () => undefined;
    b.controller.relation(7).life = 'dying';
    b.controller.changed();
    b.start();
    await b.controller.until(() => !b.controller.relations.has(7));
    expect(b.hooks('web/0').filter((hook) => hook.includes('relation'))).toEqual([]);
  });

  test('a connection that is lost before its first use does not fail a hook', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    let watches = 0;
    let cut = false;
    b.controller.onCall = (method) => {
      // The connection of the commit is lost, and the next two as soon as they are established.
      if (method === 'CommitHook' && !cut) {
        cut = true;
        b.controller.dropConnections();
        throw new JujuError('try again', 'connection lost');
      }
      if (method === 'Watch' && cut && ++watches < 3) {
        b.controller.dropConnections();
        throw new JujuError('try again', 'connection lost');
      }
    };
    b.start();
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
    expect(watches).toBe(3);
    expect(b.controller.statuses.filter((text) => text.includes('error'))).toEqual([]);
    expect(b.hooks('web/0')).toEqual(['install', 'leader-elected', 'config-changed', 'start']);
  });

  test('losing the connection after any single call does not change the sequence of hooks', async () => {
    const b = bench();
    let calls = 0;
    b.controller.afterCall = (method) => {
      if (method !== 'Log' && ++calls % 2 === 0) b.controller.dropConnections();
    };
    b.controller.addApplication('web');
    b.controller.addRelation(1, 'web:ring');
    b.controller.addUnit('web');
    b.start();
    await b.advanceUntil(() => b.agentStatus('web/0') === 'idle', 500);
    const hooks = ['install', 'ring-relation-created', 'leader-elected', 'config-changed', 'start'];
    expect(b.hooks('web/0')).toEqual(hooks);
    expect(b.controller.commits).toHaveLength(hooks.length);
  });

  test.each(Array.from({ length: 24 }, (_, index) => ({ at: index + 1 })))(
    'an agent that is killed at call $at continues: each hook commits once, in order',
    async ({ at }) => {
      const b = bench();
      let calls = 0;
      let killed: Promise<void> | undefined;
      b.controller.afterCall = (method) => {
        if (method === 'Log' || ++calls !== at) return;
        // The effect is that of kill -9: the call was carried out, but its answer is lost.
        killed = b.agent?.stop();
        b.controller.dropConnections();
      };
      b.controller.addApplication('web');
      b.controller.addRelation(1, 'web:ring');
      b.controller.addRelation(7, 'web:db mysql:server');
      b.controller.setMember(7, 'mysql/0', true);
      b.controller.addUnit('web');
      b.start();
      await b.advanceUntil(() => killed !== undefined || b.agentStatus('web/0') === 'idle', 500);
      b.controller.afterCall = () => undefined;
      await Promise.all([killed, b.advanceUntil(() => true)]);
      await killed;
      b.start();
      await b.advanceUntil(
        () => b.agentStatus('web/0') === 'idle' && b.hooks('web/0').includes('db-relation-changed'),
        500,
      );
      expect(new Set(b.controller.commits.map((commit) => commit.hookId)).size).toBe(
        b.controller.commits.length,
      );
      const order = b.hooks('web/0').filter((name, index, all) => name !== all[index - 1]);
      expect(order).toEqual([
        'install',
        'ring-relation-created',
        'db-relation-created',
        'leader-elected',
        'config-changed',
        'start',
        'db-relation-joined',
        'db-relation-changed',
      ]);
      expect(b.controller.commits).toHaveLength(order.length);
    },
  );
});
