import { afterEach, expect, test } from 'vitest';
import type { LogRecord } from '../../kit/log.ts';
import { FakeController } from '../../testing/fake-controller.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { simulatedHosts } from '../../testing/simulated-hooks.ts';
import { MachineAgent } from './machine-agent.ts';
import type { ApplySettings } from './system-settings.ts';

const agents: MachineAgent[] = [];
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.stop())));

/** Starts a machine with one unit whose settings are written by `apply`. */
function start(apply: ApplySettings) {
  const clock = new ManualClock();
  const controller = new FakeController(clock);
  const hosts = simulatedHosts();
  const logged: LogRecord[] = [];
  let ids = 0;
  controller.addApplication('web');
  controller.addUnit('web');
  agents.push(
    new MachineAgent({
      machineId: '0',
      version: '3.6.28',
      bootId: 'boot',
      connect: () => Promise.resolve(controller.connect()),
      hosts,
      runCommand: () => Promise.resolve({ kind: 'done', code: 0, reboot: '' }),
      applySettings: apply,
      facts: () => ({
        hostname: 'h',
        addresses: [],
        hardware: { arch: 'amd64', cores: 1, mem: 1 },
        version: '3.6.28',
      }),
      clock,
      random: () => 0.5,
      newId: () => `hook-${++ids}`,
      logSink: (record) => logged.push(record),
    }),
  );
  const idle = (): boolean => controller.statuses.at(-1) === 'unit-agent web/0: idle';
  return { controller, hosts, logged, idle };
}

test('the settings of a machine are written before its first hook, and follow the model', async () => {
  const applied: string[] = [];
  const started = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const { controller, hosts, idle } = start(async ({ proxies }) => {
    applied.push(proxies.http);
    if (applied.length > 1) return second.resolve();
    started.resolve();
    await first.promise;
  });
  await started.promise;
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(hosts.runs).toEqual([]);
  first.resolve();
  await controller.until(idle);
  const { model } = controller;
  const proxies = { ...model.system.proxies, http: 'http://p:1' };
  controller.model = { ...model, system: { ...model.system, proxies } };
  controller.changed();
  await second.promise;
  expect(applied).toEqual(['', 'http://p:1']);
});

test('settings that cannot be applied are reported, and hooks run nevertheless', async () => {
  const { controller, logged, idle } = start(() => Promise.reject(new Error('the disk is full')));
  await controller.until(idle);
  expect(logged.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^the machine does not have the model's configuration why="the disk is full"/),
  );
});
