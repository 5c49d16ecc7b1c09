/** Machine agent in the simulation: its reports, the life of its units. */
import { afterEach, describe, expect, test } from 'vitest';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { bench, stopBenches } from '../../testing/machine-bench.ts';

afterEach(stopBenches);

test('a machine reports its facts at the start of its agent, and again when an address has come', async () => {
  const reported: unknown[] = [];
  const b = bench();
  b.controller.onCall = (method, params) => {
    if (method === 'Started')
      reported.push((params as MachineAgentMethods['Started']['params']).addresses.map(({ value }) => value));
  };
  b.start();
  await b.advanceUntil(() => reported.length > 0);
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 180);
  expect(reported).toEqual([[]]);
  b.addresses = [{ value: '10.1.0.2', scope: 'local-cloud', interfaceName: 'eth1', macAddress: '' }];
  await b.advanceUntil(() => reported.length > 1);
  expect(reported).toEqual([[], ['10.1.0.2']]);
});

describe('the life of a unit', () => {
  test('a unit runs its first hooks in order and reports its statuses', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addRelation(1, 'web:ring');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    expect(b.hooks('web/0')).toEqual([
      'install',
      'ring-relation-created',
      'leader-elected',
      'config-changed',
      'start',
    ]);
    expect(b.controller.statuses).toEqual([
      'workload web/0: waiting installing agent',
      'workload web/0: waiting agent initialising',
      'unit-agent web/0: executing running install hook',
      'workload web/0: maintenance installing charm software',
      'unit-agent web/0: executing running ring-relation-created hook',
      'unit-agent web/0: executing running leader-elected hook',
      'unit-agent web/0: executing running config-changed hook',
      'unit-agent web/0: executing running start hook',
      'workload web/0: active ready',
      'unit-agent web/0: idle',
    ]);
    expect(b.hosts.deployed).toEqual([{ unit: 'web/0', charmUrl: 'local:web-0' }]);
  });

  test('a unit that never set its status is "unknown" once started', async () => {
    const b = bench(() => undefined);
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    expect(b.controller.statuses).toContain('workload web/0: unknown');
  });

  test('a unit gets relation events, and its settings are written when the hook has succeeded', async () => {
    const seen: unknown[] = [];
    const b = bench(async ({ name, context }) => {
      if (name !== 'db-relation-joined') return;
      context.changes.relationSettings.set(7, {
        unit: new Map([['hello', 'there']]),
        app: new Map([['all', 'of us']]),
      });
      seen.push(context.relations(), await context.relationSettings(7, 'mysql/0'));
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addRelation(7, 'web:db mysql:server');
    b.controller.setMember(7, 'mysql/0', true, { host: 'h0' });
    b.start();
    await b.idle('web/0');
    expect(b.hooks('web/0').slice(-2)).toEqual(['db-relation-joined', 'db-relation-changed']);
    expect(seen).toEqual([
      [{ id: 7, endpoint: 'db', remoteApplication: 'mysql', peer: false, members: ['mysql/0'] }],
      { host: 'h0' },
    ]);
    expect(b.controller.settings(7, 'web/0')).toEqual({ 'ingress-address': '10.0.0.2', hello: 'there' });
    expect(b.controller.settings(7, 'web')).toEqual({ all: 'of us' });

    b.controller.setMember(7, 'mysql/0', false);
    await b.controller.until(() => b.hooks('web/0').includes('db-relation-departed'));
  });

  test('a unit runs config-changed only when its configuration changes', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    const before = b.hooks('web/0').length;
    b.controller.setConfig('web', { port: 80 });
    await b.controller.until(() => b.hooks('web/0').length > before);
    await b.idle('web/0');
    expect(b.hooks('web/0').slice(before)).toEqual(['config-changed']);
  });

  test('a unit runs update-status at its interval without changing its agent status', async () => {
    const b = bench();
    b.controller.model.updateStatusIntervalMs = 300_000;
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    await b.advanceUntil(
      () => b.hooks('web/0').filter((name) => name === 'update-status').length === 2,
      10_000,
    );
    expect(b.controller.statuses.some((text) => text.includes('update-status'))).toBe(false);
  });

  test('a unit keeps its leadership by renewing it', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    for (let half = 0; half < 6; half++) {
      await b.advanceUntil(() => b.controller.leaderOf('web') === 'web/0', 30_000);
    }
    expect(b.hooks('web/0').filter((name) => name === 'leader-elected')).toHaveLength(1);
  });

  test('a unit whose lease ended while it was renewed runs leader-elected as soon as it leads again', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    const renewed = Promise.withResolvers<void>();
    let asked = false;
    b.controller.onCall = (method) => {
      if (method !== 'ClaimLeadership') return undefined;
      asked = true;
      return renewed.promise;
    };
    await b.advanceUntil(() => asked);
    // The stream goes on naming the unit, which nobody replaces.
    b.controller.leases.set('web', { holder: 'web/0', until: Infinity });
    let seconds = 0;
    await b.advanceUntil(() => ++seconds > 35);
    b.controller.setConfig('web', { n: 1 });
    await b.advanceUntil(
      () => b.hooks('web/0').at(-1) === 'config-changed' && b.agentStatus('web/0') === 'idle',
      0,
    );
    renewed.resolve();
    await b.advanceUntil(() => b.hooks('web/0').at(-1) === 'leader-elected', 0);
  });

  test('a unit runs start again after a reboot that its charm asked for', async () => {
    let asked = false;
    const b = bench(({ name, context }) => {
      if (name !== 'config-changed' || asked) return;
      asked = true;
      context.changes.reboot = 'after';
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    expect(await b.start().done).toBe('reboot');
    b.start('boot-2');
    await b.idle('web/0');
    expect(b.hooks('web/0').slice(-3)).toEqual(['leader-elected', 'config-changed', 'start']);
    await b.agent?.stop();
    b.start('boot-3');
    await b.controller.until(() => b.hooks('web/0').filter((name) => name === 'start').length === 2);
  });

  test('a unit upgrades its charm, then runs upgrade-charm', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    b.controller.applications.set('web', {
      ...b.controller.applications.get('web')!,
      charmUrl: 'local:web-1',
    });
    b.controller.changed();
    await b.controller.until(
      () => b.hooks('web/0').at(-1) === 'config-changed' && b.agentStatus('web/0') === 'idle',
    );
    expect(b.hosts.deployed.at(-1)).toEqual({ unit: 'web/0', charmUrl: 'local:web-1' });
    expect(b.hooks('web/0').slice(-2)).toEqual(['upgrade-charm', 'config-changed']);
    expect(b.controller.unit('web/0').charmUrl).toBe('local:web-1');
  });

  test('a unit installs and upgrades its charm when its machine has the charm’s LXD profile', async () => {
    const b = bench();
    const change = (revision: number): void => {
      const application = b.controller.applications.get('web')!;
      const charm = { charmUrl: `local:web-${revision}`, profile: `juju-m-web-${revision}` };
      b.controller.applications.set('web', { ...application, ...charm, config: { revision } });
      b.controller.changed();
    };
    const assign = (...profiles: string[]): void => {
      b.controller.machine = { ...b.controller.machine!, profiles };
      b.controller.changed();
    };
    assign();
    b.controller.addApplication('web');
    change(0);
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.hosts.deployed.length > 0);
    await b.advanceUntil(() => b.clock.now() > 60_000);
    expect(b.hooks('web/0')).toEqual([]);
    assign('juju-m-web-0');
    await b.controller.until(() => b.hooks('web/0').at(-1) === 'start');
    await b.idle('web/0');
    const before = b.hooks('web/0').length;
    const since = (): string[] => b.hooks('web/0').slice(before);
    change(1);
    await b.controller.until(() => since().length > 0);
    await b.idle('web/0');
    expect(since(), 'the unit goes on with the charm that it has').toEqual(['config-changed']);
    expect(b.hosts.deployed).toHaveLength(1);
    assign('juju-m-web-1');
    await b.controller.until(() => since().length === 3);
    expect(since().slice(1)).toEqual(['upgrade-charm', 'config-changed']);
    expect(b.hosts.deployed.at(-1)).toEqual({ unit: 'web/0', charmUrl: 'local:web-1' });
  });
});

describe('hooks, actions and commands on one machine', () => {
  test('a machine runs one hook at a time, of whichever unit', async () => {
    let running = 0;
    let most = 0;
    const b = bench(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    for (const name of ['a', 'b', 'c']) {
      b.controller.addApplication(name);
      b.controller.addUnit(name);
    }
    b.start();
    await Promise.all(['a/0', 'b/0', 'c/0'].map((unit) => b.idle(unit)));
    expect(most).toBe(1);
  });

  test('juju-exec on the machine runs in the named unit, or in the only one', async () => {
    const b = bench(({ name, context }) => {
      if (name === 'state-set by=exec') context.changes.charmState.set.set('by', 'exec');
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    const agent = b.start();
    await b.idle('web/0');
    const { signal } = new AbortController();
    for (const unit of ['web/0', 'unit-web-0', '']) {
      const before = b.hooks('web/0').length;
      expect(await agent.exec({ unit, command: 'state-set by=exec' }, signal)).toMatchObject({ code: 0 });
      expect(b.hooks('web/0').slice(before)).toEqual(['state-set by=exec']);
    }
    expect(b.controller.units.get('web/0')?.charmState).toEqual({ by: 'exec' });
    expect(await agent.exec({ command: 'uptime' }, signal)).toEqual({
      kind: 'done',
      code: 0,
      reboot: '',
      output: { stdout: 'uptime' },
    });
    await expect(agent.exec({ unit: 'web/9', command: 'x' }, signal)).rejects.toThrow(
      'unit "web/9" not found on this machine',
    );
    expect(await agent.exec({ unit: '', relation: 'db:9', command: 'x' }, signal).catch(String)).toContain(
      'unknown relation id: 9',
    );
    b.controller.addUnit('web');
    await b.idle('web/1');
    await expect(agent.exec({ unit: '', command: 'x' }, signal)).rejects.toThrow(
      'unit name required: there are 2 units on this machine: web/0, web/1',
    );
  });

  test('exec runs in the unit and on the machine, and its result is reported', async () => {
    const b = bench(({ name, context }) => {
      if (name !== 'echo hi') return undefined;
      context.changes.charmState.set.set('by', 'exec');
      return { kind: 'failed', code: 3, output: { stdout: 'hi\n' } };
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    b.controller.addTask({
      id: '1',
      receiver: 'web/0',
      name: 'juju-exec',
      parameters: { command: 'echo hi' },
    });
    b.controller.addTask({ id: '2', receiver: '0', name: 'juju-exec', parameters: { command: 'uptime' } });
    await b.controller.until(() => b.controller.finished.length === 2);
    expect([...b.controller.finished].sort((x, y) => Number(x.id) - Number(y.id))).toEqual([
      { id: '1', status: 'completed', message: '', output: { stdout: 'hi\n', 'return-code': 3 } },
      { id: '2', status: 'completed', message: '', output: { stdout: 'uptime', 'return-code': 0 } },
    ]);
    expect(b.controller.units.get('web/0')?.charmState).toEqual({ by: 'exec' });
  });

  test('no hook or action of the charm runs after its remove hook', async () => {
    const b = bench(({ name }) => {
      if (name === 'remove')
        b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    b.controller.setUnit('web/0', { life: 'dying' });
    await b.controller.until(() => !b.controller.units.has('web/0'));
    expect(b.hosts.runs.slice(-2)).toEqual(['web/0 stop', 'web/0 remove']);
    expect(b.controller.finished).toEqual([]);
  });

  test.each([
    ['web/0', 'backup', 'action terminated'],
    ['0', 'juju-exec', 'action cancelled'],
  ])('a task of %s that the previous agent had begun fails', async (receiver, name, message) => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addTask({ id: '1', receiver, name, parameters: { command: 'true' } });
    b.controller.tasks.set('1', { ...b.controller.tasks.get('1')!, status: 'running' });
    b.start();
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished[0]).toMatchObject({ id: '1', status: 'failed', message });
  });

  test('log lines at the model’s level are sent, with the output of hooks', async () => {
    const b = bench(({ name, log, context }) => {
      if (name !== 'install') return;
      log('stdout', 'out');
      log('stderr', 'err');
      context.log('warning', 'said');
    });
    b.controller.model.loggingConfig = '<root>=ERROR;unit=DEBUG;unit.web/0.juju-log=ERROR';
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    await b.advanceUntil(() => b.controller.logged.length >= 2);
    expect(
      b.controller.logged.map(({ entity, level, module, message }) => [entity, level, module, message]),
    ).toEqual([
      ['unit-web-0', 'INFO', 'unit.web/0.install', 'out'],
      ['unit-web-0', 'WARNING', 'unit.web/0.install', 'err'],
    ]);
    expect(b.logged.find((record) => record.message === 'said')).toMatchObject({ level: 'WARNING' });
  });
});
