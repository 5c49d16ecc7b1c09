import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../kit/clock.ts';
import type { CgroupLayout } from './cgroups.ts';
import { awaitSystemd, chooseInit, initBefore } from './first-process.ts';
import { snapshotOf } from './snapshot.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-first-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const v2: CgroupLayout = { version: 2, root: '/sys/fs/cgroup' };
const v1 = (...trees: string[]): CgroupLayout => ({ version: 1, root: '/sys/fs/cgroup', trees });

function putSystemd(mode: number): void {
  mkdirSync(join(folder, 'usr/lib/systemd'), { recursive: true });
  // An absolute link must resolve within the root, not on the host.
  symlinkSync('/usr/lib', join(folder, 'lib'));
  writeFileSync(join(folder, 'usr/lib/systemd/systemd'), '', { mode });
}

describe('the first process of a new machine', () => {
  test.each([
    ['auto', v2, { init: 'systemd', trial: 'open' }],
    [undefined, v2, { init: 'systemd', trial: 'open' }],
    ['auto', v1('memory', 'systemd'), { init: 'systemd', trial: 'open' }],
    ['auto', v1('memory'), { init: 'minimal' }],
    ['auto', undefined, { init: 'minimal' }],
    ['minimal', v2, { init: 'minimal' }],
    ['systemd', undefined, { init: 'systemd' }],
  ] as const)(
    'The first process with init=%s and cgroups %j on a root with systemd is %j',
    async (setting, cgroups, is) => {
      putSystemd(0o755);
      expect(await chooseInit(setting, folder, { cgroups })).toEqual(is);
    },
  );

  test('The first process is the minimal one on a root without an executable systemd', async () => {
    expect(await chooseInit('auto', folder, { cgroups: v2 })).toEqual({ init: 'minimal' });
    putSystemd(0o644);
    expect(await chooseInit('auto', folder, { cgroups: v2 })).toEqual({ init: 'minimal' });
  });

  test('The first process of a machine without a recorded one is derived from its files', () => {
    expect(initBefore(folder)).toEqual({ init: 'minimal' });
    writeFileSync(join(folder, 'units-hidden'), '');
    expect(initBefore(folder)).toEqual({ init: 'systemd' });
  });
});

describe('a systemd that is waited for', () => {
  let slept = 0;
  const clock: Clock = {
    now: () => slept,
    // Sleeps take at least a second each, so that a minute has few looks.
    sleep: (ms) => {
      slept += Math.max(ms, 1000);
      return Promise.resolve();
    },
  };
  const wait = (proc: string): Promise<string | undefined> =>
    awaitSystemd({ folder, clock, signal: new AbortController().signal, proc });
  beforeEach(() => {
    slept = 0;
    mkdirSync(join(folder, 'log'));
  });

  test('The error for a systemd that ended comes at once, with the last lines of its console', async () => {
    writeFileSync(join(folder, 'log/console.log'), 'Welcome\nFailed to mount cgroup\nExiting PID 1...\n');
    expect(await wait(folder)).toBe('it ended: Welcome; Failed to mount cgroup; Exiting PID 1...');
    expect(slept).toBe(0);
  });

  test('The error for a systemd that ended silently says what the host lacks', async () => {
    mkdirSync(join(folder, 'sys/fs/inotify'), { recursive: true });
    writeFileSync(join(folder, 'sys/fs/inotify/max_user_instances'), '5\n');
    expect(await wait(folder)).toBe(
      'it ended: 0 of 5 inotify instances of this user are in use (sysctl fs.inotify.max_user_instances)',
    );
  });

  test.skipIf(process.platform !== 'linux' || existsSync('/run/systemd/notify'))(
    'A systemd that runs without accepting requests is given up after a minute of the clock',
    async () => {
      const stat = await readFile('/proc/self/stat', 'utf8');
      const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
      const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      writeFileSync(join(folder, 'pid'), `${process.pid} ${startTime} ${bootId}`);
      expect(await wait('/proc')).toMatch(/^it was not up within 60 s/);
      expect(slept).toBe(60_000);
    },
  );
});

test('The status of a machine mentions systemd only when it did not come up', () => {
  const record = {
    id: 'juju-3f9a2c-0',
    machineId: '0',
    nonce: 'nonce',
    controllerUuid: '',
    tags: {},
    isolation: '',
    kind: 'sandbox',
    started: true,
    init: 'minimal',
  } as const;
  expect(snapshotOf(record, true).message).toBe('');
  expect(snapshotOf({ ...record, trial: 'failed' }, true).message).toBe(
    'runs without systemd, which did not come up',
  );
});
