/**
 * A controller that is killed at a system call of each step of its upgrade, and the order of its writes and fsyncs, by
 * which a host that loses power has the old file or the new one. Each test goes on where the one before ended.
 */
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/store/sqlite/schema.ts';
import { textOf } from '../../src/testing/host-files.ts';
import { strace } from '../strace.ts';
import { untilProgramKept } from '../controller-waits.ts';
import { root, startWorld, type World } from '../world.ts';
import { controllerVariant, unwell, withNewFormats } from './release-variants.ts';

let world: World;
let tool: ReturnType<typeof strace>;
/** Number of changes that were acknowledged. */
let changes = 0;
/** Number of formats of the store beside this build's: each upgrade adds one. */
let formats = 0;

beforeAll(async () => {
  world = await startWorld('upgrade-kills');
  tool = strace(world.dir);
  // Only then does nothing but an upgrade write there.
  await untilProgramKept(world);
  await change();
});
afterAll(async () => {
  expect(await world?.end()).toEqual([]);
});

const pid = (): number => world.controllerPid();
const programs = (): string => join(world.controllerDir, 'programs');
const store = (): string => join(world.controllerDir, 'store.db');
const chosen = (): { current?: string; trying?: object; failed?: object } => {
  const file = join(programs(), 'chosen.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof chosen>) : {};
};
async function change(): Promise<void> {
  await world.grigri('model-config', `update-status-hook-interval=${++changes}m`);
}
async function expectChanges(): Promise<void> {
  expect(await world.grigri('model-config', 'update-status-hook-interval')).toBe(`${changes}m\n`);
  await change();
}

/** Makes a program that converts the store to one more format. */
function newer(changeText: (text: string) => string = (text) => text): {
  folder: string;
  controller: string;
} {
  formats++;
  const folder = controllerVariant(join(mkdtempSync(join(world.dir, 'variant-')), 'grigri'), (text) =>
    changeText(withNewFormats(text, formats)),
  );
  return { folder, controller: join(folder, 'dist/controller.mjs') };
}
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Traces processes until it is disposed of, or they have ended. */
function trace(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(tool.program, ['-f', ...args], {
    cwd: world.dir,
    env: { ...tool.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    pid: child.pid!,
    said: () => said,
    ended,
    async [Symbol.asyncDispose]() {
      // A process that it traces goes on by itself.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Kill {
  /** What is done next when the controller is killed. */
  readonly before: string;
  readonly call: string;
  /** The call's number among those of its thread. */
  readonly nth?: number;
  /** Path that the call names first. */
  readonly path?: (program: { readonly controller: string }) => string;
  /** Which program the controller has when it was started again. */
  readonly has: 'new' | 'old';
}

const choice = (): string => join(programs(), 'chosen.json.new');
const kills: readonly Kill[] = [
  {
    before: 'a file of the program is put in its place',
    call: 'mkdir',
    path: () => join(programs(), 'files'),
    has: 'old',
  },
  {
    before: 'a file gets its link in the folder of the program',
    call: 'link,linkat',
    path: ({ controller }) => join(programs(), 'files', sha256(controller)),
    has: 'old',
  },
  { before: 'the choice is written', call: 'openat', path: choice, has: 'old' },
  { before: 'the choice is put in its place', call: 'rename', path: choice, has: 'old' },
  {
    before: 'the controller becomes the launcher',
    call: 'execve',
    path: () => `/proc/${pid()}/exe`,
    has: 'new',
  },
  { before: 'the first start is counted', call: 'rename', nth: 2, path: choice, has: 'new' },
  {
    before: 'the copy of the store is put in its place',
    call: 'rename',
    path: () => `${copy()}.new`,
    has: 'new',
  },
  {
    before: 'the converted store is used',
    call: 'mkdir',
    path: () => join(world.controllerDir, 'uploads'),
    has: 'new',
  },
  { before: 'the new program listens', call: 'listen', has: 'new' },
  { before: 'the program is confirmed', call: 'rename', nth: 3, path: choice, has: 'new' },
  {
    before: 'the confirmed program accepts changes',
    call: 'mkdir',
    path: () => join(world.controllerDir, 'tools'),
    has: 'new',
  },
];
/** The copy of the store of the format before the next program's. */
const copy = (): string => `${store()}.format-${schema.length + formats - 1}`;

test.for(kills)(
  'a controller that is killed before $before has the $has program, and takes the new one',
  async (kill) => {
    const program = newer();
    const before = chosen().current;
    const path = kill.path?.(program);
    const first = pid();
    await using traced = trace([
      '-p',
      String(first),
      '-o',
      '/dev/null',
      ...(path === undefined ? [] : ['-P', path]),
      '-e',
      `inject=${kill.call}:signal=SIGKILL:when=${kill.nth ?? 1}`,
    ]);
    await expect.poll(() => traced.said()).toContain('attached');
    const { code, stderr } = await world.attempt('upgrade-controller', '--program', program.folder);
    await expect.poll(() => existsSync(`/proc/${first}`)).toBe(false);
    await expectChanges();
    expect(chosen().trying).toBeUndefined();
    if (kill.has === 'old') {
      expect(code).toBe(1);
      expect(chosen().current).toBe(before);
      expect((await world.attempt('upgrade-controller', '--program', program.folder)).stderr).toContain(
        'Upgrading',
      );
    } else expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(chosen().current).not.toBe(before);
    expect(chosen().failed).toBeUndefined();
    expect(readdirSync(programs()).filter((name) => name.endsWith('.new'))).toEqual([]);
    await expectChanges();
  },
);

/** Runs a command of the client under strace, with all controllers that it starts, until one of them was killed. */
async function runUntilKilled(path: string, ...args: string[]): Promise<void> {
  const log = join(mkdtempSync(join(world.dir, 'killed-')), 'calls');
  const kill = ['-P', path, '-e', 'inject=rename:signal=SIGKILL:when=1', '-o', log];
  await using traced = trace([...kill, join(root, 'bin/grigri'), ...args], {
    JUJU_DATA: join(world.dir, 'client'),
  });
  await expect.poll(() => textOf(log)).toContain('+++ killed by SIGKILL +++');
  // What the client has started meanwhile is killed, too, and strace ends with it.
  const client = Number(textOf(`/proc/${traced.pid}/task/${traced.pid}/children`).split(' ')[0]);
  // It may have ended by itself: 0 would be this test's own process group.
  if (client > 0) process.kill(client, 'SIGKILL');
  await traced.ended;
}

test('a controller that is killed while it goes back has the program before, and the store as it was', async () => {
  const { current } = chosen();
  const { folder } = newer(unwell);
  // It converts the store, and ends three times: the fourth start goes back.
  await runUntilKilled(copy(), 'upgrade-controller', '--program', folder);
  expect(chosen()).toMatchObject({ current, trying: { starts: 3 } });
  expect(existsSync(copy())).toBe(true);
  await runUntilKilled(choice(), 'model-config');
  expect(chosen()).toMatchObject({ current, trying: { starts: 3 } });
  expect(existsSync(copy())).toBe(false);
  await expectChanges();
  expect(chosen()).toEqual({ current, failed: expect.objectContaining({ attempt: 0 }) as object });
  formats--;
});

interface Called {
  readonly name: string;
  /** Paths: of a rename both, else that of the file. */
  readonly paths: readonly string[];
}

test('what an upgrade writes is on the disk before it gets its name, and the name before what follows', async () => {
  const { folder } = newer();
  const log = join(world.dir, 'calls');
  const calls = 'trace=rename,fsync,fdatasync,write,writev,pwrite64,execve';
  {
    await using traced = trace(['-y', '-p', String(pid()), '-e', calls, '-o', log]);
    await expect.poll(() => traced.said()).toContain('attached');
    await world.grigri('upgrade-controller', '--program', folder);
  }
  const called: Called[] = [...readFileSync(log, 'utf8').matchAll(/^\d+ +(\w+)\((.*)/gm)].map(
    ([, name = '', rest = '']) => ({
      name,
      paths:
        name === 'rename'
          ? [.../"([^"]+)", "([^"]+)"/.exec(rest)!].slice(1)
          : [/^\d+<([^>]*)>/.exec(rest)?.[1] ?? ''],
    }),
  );
  const isSync = ({ name }: Called): boolean => name.startsWith('f');
  const isKept = ({ name, paths }: Called): boolean =>
    name === 'rename' && (paths[1]!.startsWith(`${programs()}/`) || paths[1] === copy());
  const renamed = called.flatMap((call, at) => (isKept(call) ? [{ call, at }] : []));
  for (const { call, at } of renamed) {
    const [from = '', to = ''] = call.paths;
    const last = called.slice(0, at).findLast(({ name, paths }) => name !== 'rename' && paths[0] === from);
    expect(last && isSync(last), `${from} is synced before it becomes ${to}`).toBe(true);
    // Commits of the controller go on meanwhile, but none is to convert the store before its copy has its name.
    const follows = (next: Called): boolean =>
      isKept(next) || next.name === 'execve' || (to === copy() && next.paths[0] === `${store()}-wal`);
    const after = called.slice(at + 1);
    const next = after.findIndex(follows);
    const synced = after.findIndex((one) => isSync(one) && one.paths[0] === dirname(to));
    expect(synced, `${dirname(to)} is synced after it has ${to}`).toBeGreaterThanOrEqual(0);
    if (next >= 0) expect(synced, `${dirname(to)} is synced before what follows ${to}`).toBeLessThan(next);
  }
  const targets = renamed.map(({ call }) => call.paths[1]!);
  expect(targets.filter((path) => dirname(path) === join(programs(), 'files'))).not.toEqual([]);
  expect(targets).toContain(join(programs(), chosen().current!));
  expect(targets.filter((path) => path === join(programs(), 'chosen.json'))).toHaveLength(3);
  expect(targets).toContain(copy());
  await expectChanges();
});
