import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentBundles } from '../../controller/agent-bundles.ts';
import { createAgentBundles } from './agent-bundles.ts';
import { hostHardware } from './host.ts';

const ownArch = hostHardware().arch!;
let folder: string;
let bundles: AgentBundles;
const open = (dir = 'bundles'): AgentBundles =>
  createAgentBundles({
    toolsDir: join(folder, 'tools'),
    dir: join(folder, dir),
    runtimesDir: join(folder, 'agents'),
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-bundles-'));
  await mkdir(join(folder, 'tools'));
  await writeFile(join(folder, 'tools/node'), 'the runtime');
  await writeFile(join(folder, 'tools/agent.mjs'), 'the launcher');
  await writeFile(join(folder, 'tools/program.mjs'), 'the agent');
  bundles = open();
});
afterEach(() => rm(folder, { recursive: true }));

const list = (path: string): string => execFileSync('tar', ['-tvzf', path], { encoding: 'utf8' });

test('An archive contains the agent and its runtime, and matches the reported checksum', async () => {
  const { path, sha256, size } = await bundles.file(ownArch);
  const bytes = await readFile(path);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(bytes.length).toBe(size);
  expect(list(path).match(/^-rwxr-xr-x 0\/0 .*(node|agent\.mjs|program\.mjs)$/gm)).toHaveLength(3);
});

test('An archive is built once for concurrent callers', async () => {
  const files = await Promise.all(Array.from({ length: 10 }, () => bundles.file(ownArch)));
  expect(new Set(files).size).toBe(1);
  expect(await readdir(join(folder, 'bundles'))).toHaveLength(1);
});

test('The same files produce the same archive on every host and at any time', async () => {
  const { sha256 } = await bundles.file(ownArch);
  await chmod(join(folder, 'tools/agent.mjs'), 0o600);
  expect((await open('others').file(ownArch)).sha256).toBe(sha256);
  expect((await open().file(ownArch)).sha256).toBe(sha256);
});

test('A changed agent has a new archive, and the old one is removed', async () => {
  const before = await bundles.file(ownArch);
  await writeFile(join(folder, 'tools/program.mjs'), 'another agent');
  const after = await bundles.file(ownArch);
  expect(after.sha256).not.toBe(before.sha256);
  expect(await readdir(join(folder, 'bundles'))).toEqual([after.path.split('/').at(-1)]);
});

test('An earlier program that is kept has an archive beside the present one', async () => {
  const old = 'a'.repeat(64);
  expect(bundles.hasBuild(old)).toBe(false);
  const kept = join(folder, 'tools/builds', old);
  await mkdir(kept, { recursive: true });
  await writeFile(join(kept, 'node'), 'the runtime before');
  await writeFile(join(kept, 'program.mjs'), 'the agent before');
  expect([bundles.hasBuild(old), bundles.hasBuild('..')]).toEqual([true, false]);
  const present = await bundles.file(ownArch, 'b'.repeat(64));
  const before = await bundles.file(ownArch, old);
  expect(await readdir(join(folder, 'bundles'))).toHaveLength(2);
  const unpacked = (path: string, name: string): string =>
    execFileSync('tar', ['-xzOf', path, name], { encoding: 'utf8' });
  expect(unpacked(before.path, 'program.mjs')).toBe('the agent before');
  expect(unpacked(before.path, 'node')).toBe('the runtime before');
  expect(unpacked(present.path, 'program.mjs')).toBe('the agent');
});

test('A deleted archive is built again', async () => {
  const { path, sha256 } = await bundles.file(ownArch);
  await rm(path);
  expect((await bundles.file(ownArch)).sha256).toBe(sha256);
  expect((await readFile(path)).length).toBeGreaterThan(0);
});

test('A failed build is retried at the next request', async () => {
  await rm(join(folder, 'tools/program.mjs'));
  await expect(bundles.file(ownArch)).rejects.toThrow(/program\.mjs/);
  await writeFile(join(folder, 'tools/program.mjs'), 'the agent');
  expect((await bundles.file(ownArch)).size).toBeGreaterThan(0);
});

test('Another architecture is available once its runtime is installed', async () => {
  expect(bundles.archs).not.toContain('riscv64');
  const absence = bundles.absence('riscv64')!;
  expect(absence).toContain(`this controller has one for ${bundles.archs.join(', ')}`);
  expect(absence).toContain(join(folder, 'agents/riscv64/node'));
  await expect(bundles.file('riscv64')).rejects.toMatchObject({ code: 'not found', message: absence });
  await mkdir(join(folder, 'agents/riscv64'), { recursive: true });
  await writeFile(join(folder, 'agents/riscv64/node'), 'another runtime');
  expect(bundles.archs).toContain('riscv64');
  expect(bundles.absence('riscv64')).toBeUndefined();
  const { path } = await bundles.file('riscv64');
  expect(execFileSync('tar', ['-xzOf', path, 'node'], { encoding: 'utf8' })).toBe('another runtime');
  expect((await bundles.file(ownArch)).path).not.toBe(path);
});

test.each(['../../etc', '', 'a/b', 'constructor'])('Architecture %j is rejected as unknown', async (arch) => {
  await expect(bundles.file(arch)).rejects.toMatchObject({ code: 'not found' });
});
