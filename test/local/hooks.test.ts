/** Hooks that fail, hang or reboot: statuses, kept data, and recovery. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packRoot } from '../../src/testing/providers/small-root.ts';
import { startWorld, type World } from '../world.ts';

let world: World;
const used: string[] = [];

beforeAll(async () => {
  world = await startWorld('hooks');
  // Automatic retries would hide the effect of `resolved`.
  await world.grigri('model-config', 'automatically-retry-hooks=false');
});
afterEach(() => world.clear(...used.splice(0)));
afterAll(async () => expect(await world.end()).toEqual([]));

async function deploy(name: string, parts: Parameters<World['charm']>[1], ...flags: string[]): Promise<void> {
  used.push(name);
  await world.grigri('deploy', world.charm(name, parts), ...flags);
}

async function inside(unit: string, command: string): Promise<string> {
  return (await world.grigri('ssh', unit, command)).trim();
}

describe('hooks that are not executable', () => {
  const hooks = { install: 'chmod -x hooks/start', start: 'status-set active done' };

  test('a hook that is not executable is named in the status, and runs once it is repaired', async () => {
    await deploy('stiff', { hooks });
    const { message } = await world.untilUnit('stiff/0', { workload: 'error' });
    expect(message).toBe(
      'hook failed: "start": /var/lib/juju/agents/unit-stiff-0/charm/hooks/start is not executable',
    );
    await inside('stiff/0', 'chmod +x /var/lib/juju/agents/unit-stiff-0/charm/hooks/start');
    await world.grigri('resolved', 'stiff/0');
    await world.untilUnit('stiff/0', { workload: 'active', message: 'done', agent: 'idle' });
  });

  test('a unit whose hook is not executable can be removed by force', async () => {
    await deploy('stuck', { hooks });
    await world.untilUnit('stuck/0', { workload: 'error' });
    await world.grigri('remove-unit', 'stuck/0', '--force', '--no-prompt', '--no-wait');
    await world.until('the unit and its machine to go', async () => {
      const { applications, machines } = await world.status();
      return Object.keys(applications['stuck']?.units ?? {}).length + Object.keys(machines).length === 0;
    });
    await world.until('its files to go', () => Promise.resolve(world.instances().length === 0));
  });
});

describe('hooks that never end', () => {
  test('a hook that never ends can be killed with its child processes and run again', async () => {
    await world.grigri('model-config', 'hook-timeout=2s');
    await deploy('endless', {
      hooks: {
        install: '[ -e /root/quick ] && exit; sleep 1000 & echo $! >/root/child; sleep 1001',
        start: 'status-set active done',
      },
    });
    await world.untilUnit('endless/0', {
      workload: 'error',
      message: 'hook failed: "install": timed out after 2s',
    });
    expect(await inside('endless/0', 'kill -0 $(cat /root/child) 2>/dev/null || echo gone')).toBe('gone');
    await inside('endless/0', 'touch /root/quick');
    // Any hook may take two seconds on a busy host.
    await world.grigri('model-config', '--reset', 'hook-timeout');
    expect((await world.grigri('model-config', 'hook-timeout')).trim()).toBe('0s');
    await world.grigri('resolved', 'endless/0');
    await world.untilUnit('endless/0', { workload: 'active', message: 'done', agent: 'idle' });
  });

  test('a unit can be removed by force while a hook hangs', async () => {
    await deploy('hung', { hooks: { install: 'sleep 1000' } });
    await world.untilUnit('hung/0', { agent: 'executing' });
    await world.grigri('remove-unit', 'hung/0', '--force', '--no-prompt', '--no-wait');
    await world.until(
      'the machine to go',
      async () => Object.keys((await world.status()).machines).length === 0,
    );
  });
});

describe('failing hooks', () => {
  test('a failed hook is skipped by resolved --no-retry', async () => {
    await deploy('weak', {
      hooks: {
        start: 'state-set began=yes; status-set maintenance half; exit 3',
        'config-changed': 'state-set configured=yes',
      },
    });
    await world.untilUnit('weak/0', { workload: 'error', message: 'hook failed: "start"' });
    await world.grigri('resolved', '--no-retry', 'weak/0');
    await world.untilUnit('weak/0', { workload: 'maintenance', message: 'half', agent: 'idle' });
    // Deferred changes of the failed hook were not applied.
    expect((await world.grigri('exec', '--unit', 'weak/0', '--', 'state-get')).trim()).toBe(
      'configured: "yes"',
    );
  });

  test('a failed hook is retried automatically, unless the model turns that off', async () => {
    await deploy('frail', {
      hooks: { install: 'echo x >>/root/tries; [ -e /root/well ]', start: 'status-set active' },
    });
    await world.untilUnit('frail/0', { workload: 'error', message: 'hook failed: "install"' });
    expect(await inside('frail/0', 'wc -l </root/tries')).toBe('1');
    await world.grigri('model-config', 'automatically-retry-hooks=true');
    try {
      await world.until(
        'the third try',
        async () => Number(await inside('frail/0', 'wc -l </root/tries')) >= 3,
      );
      await world.until('its status', async () => {
        const log = await world.grigri('show-status-log', 'frail/0', '--type', 'juju-unit');
        return (log.match(/executing +running install hook/g)?.length ?? 0) >= 3;
      });
      await inside('frail/0', 'touch /root/well');
      await world.grigri('resolved', 'frail/0');
      await world.untilUnit('frail/0', { workload: 'active', agent: 'idle' });
    } finally {
      await world.grigri('model-config', 'automatically-retry-hooks=false');
    }
  });

  test('a failed hook writes nothing to its relations until it succeeds', async () => {
    await deploy(
      'teller',
      {
        metadata: 'peers:\n  others:\n    interface: teller\n',
        config:
          'options:\n  v:\n    type: int\n    default: 1\n  fail:\n    type: boolean\n    default: false\n',
        hooks: {
          'config-changed':
            'relation-set -r $(relation-ids others) v=$(config-get v)\n[ "$(config-get fail)" = False ]',
          start: 'status-set active',
        },
      },
      '-n',
      '2',
    );
    for (const unit of ['teller/0', 'teller/1'])
      await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
    const settings = async (): Promise<string> =>
      (
        await world.grigri(
          'exec',
          '--unit',
          'teller/1',
          '--',
          'relation-get -r $(relation-ids others) v teller/0',
        )
      ).trim();
    expect(await settings()).toBe('1');
    await world.grigri('config', 'teller', 'v=2', 'fail=true');
    for (const unit of ['teller/0', 'teller/1'])
      await world.untilUnit(unit, { workload: 'error', message: 'hook failed: "config-changed"' });
    expect(await settings()).toBe('1');
    await world.grigri('config', 'teller', 'fail=false');
    await world.grigri('resolved', 'teller/0', 'teller/1');
    await world.untilUnit('teller/0', { workload: 'active', agent: 'idle' });
    expect(await settings()).toBe('2');
  });
});

test.each(['minimal', 'systemd'])(
  'a hook that reboots its machine with init=%s runs again afterwards on the same files',
  async (init) => {
    await world.grigri('model-config', `init=${init}`);
    const name = `booter-${init}`;
    const unit = `${name}/0`;
    await deploy(name, {
      hooks: {
        install: [
          'cat /proc/sys/kernel/random/boot_id >>/root/boots',
          '[ -e /root/daemon ] || { setsid sleep 2000 </dev/null >/dev/null 2>&1 & echo $! >/root/daemon; }',
          'if [ "$(wc -l </root/boots)" = 1 ]; then state-set lost=yes; juju-reboot --now; sleep 1000; fi',
          'state-set kept=yes',
        ].join('\n'),
        start: 'status-set active done',
      },
    });
    await world.untilUnit(unit, { workload: 'active', message: 'done', agent: 'idle' });
    expect(await inside(unit, 'cat /proc/1/comm')).toBe(init === 'systemd' ? 'systemd' : 'sh');
    const boots = (await inside(unit, 'cat /root/boots')).split('\n');
    expect(boots).toHaveLength(2);
    expect(new Set(boots).size).toBe(2);
    // A reboot ends processes that were started before it.
    expect(await inside(unit, 'kill -0 $(cat /root/daemon) 2>/dev/null || echo gone')).toBe('gone');
    expect((await world.grigri('exec', '--unit', unit, '--', 'state-get')).trim()).toBe('kept: "yes"');
    await world.grigri('model-config', '--reset', 'init');
  },
);

test('a charm runs on a machine whose systemd did not come up, as on one without systemd', async () => {
  // This fake systemd gets far enough to look as if it had come up.
  const systemd =
    '#!/bin/sh\necho tried >>/var/tried\nmkdir -p /run/systemd/system\necho cannot go on\nexit 1\n';
  const archive = packRoot(
    world.dir,
    { name: 'ubuntu', release: '22.04' },
    {
      more: ['bash', 'mkdir', 'mkfifo', 'rm', 'wc'],
      change: (folder) => {
        mkdirSync(join(folder, 'lib/systemd'), { recursive: true });
        mkdirSync(join(folder, 'var'), { recursive: true });
        writeFileSync(join(folder, 'lib/systemd/systemd'), systemd, { mode: 0o755 });
      },
    },
  );
  await world.grigri('local-image', 'add', 'ubuntu@22.04', archive);
  await deploy(
    'fallen',
    {
      config: 'options:\n  word:\n    type: string\n    default: first\n',
      hooks: {
        install: [
          'cat /proc/sys/kernel/random/boot_id >>/root/boots',
          'if [ "$(wc -l </root/boots)" = 1 ]; then juju-reboot --now; sleep 1000; fi',
          'state-set installed="$(cat /proc/1/comm)"',
        ].join('\n'),
        'config-changed': 'state-set word="$(config-get word)"',
        start:
          '[ ! -e /run/systemd/system ]\nstatus-set active "$(cat /etc/small), tried $(wc -l </var/tried)"',
      },
    },
    '--base',
    'ubuntu@22.04',
  );
  const { machine } = await world.untilUnit('fallen/0', {
    workload: 'active',
    message: 'ubuntu 22.04, tried 1',
    agent: 'idle',
  });
  const { 'machine-status': status } = (await world.status()).machines[machine]!;
  expect(status.message).toContain('without systemd, which did not come up');
  await world.grigri('config', 'fallen', 'word=second');
  const state = { installed: 'sh', word: 'second' };
  await world.until('the hook after the change', async () => {
    const json = await world.grigri('exec', '--unit', 'fallen/0', '--', 'state-get --format=json');
    return isDeepStrictEqual(JSON.parse(json), state);
  });
  const exec = async (...target: string[]): Promise<string> =>
    (await world.grigri('exec', ...target, '--', 'cat /proc/1/comm')).trim();
  expect([await exec('--unit', 'fallen/0'), await exec('--machine', machine)]).toEqual(['sh', 'sh']);
  expect(await inside('fallen/0', "juju-run -u fallen/0 'config-get word'")).toBe('second');
  used.pop();
  await world.clear('fallen');
  await world.grigri('local-image', 'remove', 'ubuntu@22.04');
});

test('a charm installs a service, enables it, restarts it and reads its journal', async () => {
  await deploy('server', {
    hooks: {
      install: [
        'printf \'[Service]\\nExecStart=/bin/sh -c "echo serving; exec sleep 10000"\\n[Install]\\nWantedBy=multi-user.target\\n\' >/etc/systemd/system/server.service',
        'systemctl daemon-reload',
        'systemctl enable --now server',
      ].join('\n'),
      start: [
        'before=$(systemctl show -p MainPID server)',
        'systemctl restart server',
        '[ "$before" != "$(systemctl show -p MainPID server)" ] || exit 1',
        'for i in $(seq 120); do journalctl -u server | grep -c serving >/tmp/said; [ "$(cat /tmp/said)" = 2 ] && break; sleep 0.5; done',
        'status-set active "$(systemctl is-active server) $(systemctl is-enabled server) $(cat /tmp/said)"',
      ].join('\n'),
    },
  });
  await world.untilUnit('server/0', { workload: 'active', message: 'active enabled 2', agent: 'idle' });
});
