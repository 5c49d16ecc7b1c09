import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureCgroups, findCgroups, limitsAround, machineGroups } from './cgroups.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'grigri-cgroups-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('Limits in one tree use the files of version 2, with delegated controllers', async () => {
  writeFileSync(join(root, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
  const layout = findCgroups(root);
  expect(layout).toEqual({ version: 2, root });
  await ensureCgroups({ version: 2, root }, 'm', { memoryMiB: 512, cores: 2 });
  expect(read('grigri/m/memory.max')).toBe('536870912');
  expect(read('grigri/m/cpu.max')).toBe('200000 100000');
  expect(read('cgroup.subtree_control')).toBe('+memory +cpu +pids');
  expect(read('grigri/cgroup.subtree_control')).toBe('+memory +cpu +pids');
  // The leaf group leaves room for groups of containers.
  expect(machineGroups({ version: 2, root }, 'm')).toEqual({
    limits: [join(root, 'grigri/m')],
    processes: [join(root, 'grigri/m/machine')],
  });
  expect(statSync(join(root, 'grigri/m/machine')).isDirectory()).toBe(true);
  await ensureCgroups({ version: 2, root }, 'm', {});
  expect(read('grigri/m/memory.max')).toBe('max');
  expect(read('grigri/m/cpu.max')).toBe('max 100000');
});

test.each([
  ['one tree', 2],
  ['a tree for each controller', 1],
] as const)('Limits in %s are capped by the enclosing limits', async (_, version) => {
  const set = (path: string, text: string): void => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  };
  set('memory/memory.limit_in_bytes', '536870912');
  set('memory.max', '536870912');
  set('cpu/cpu.cfs_quota_us', '150000');
  set('cpu/cpu.cfs_period_us', '100000');
  set('cpu.max', '150000 100000');
  const layout = { version, root, trees: ['memory', 'cpu'] };
  expect(await limitsAround(layout)).toEqual({ memoryMiB: 512, cores: 1.5 });
  await ensureCgroups(layout, 'm', { memoryMiB: 1024, cores: 2 });
  const [memory, cpu] =
    version === 2
      ? ['grigri/m/memory.max', 'grigri/m/cpu.max']
      : ['memory/grigri/m/memory.limit_in_bytes', 'cpu/grigri/m/cpu.cfs_quota_us'];
  expect(read(memory)).toBe('536870912');
  expect(read(cpu)).toMatch(/^150000\b/);
  set('memory.max', 'max');
  set('memory/memory.limit_in_bytes', '-1');
  set('cpu.max', 'max 100000');
  set('cpu/cpu.cfs_quota_us', '-1');
  expect(await limitsAround(layout)).toEqual({});
});

test('No layout is found when the controllers for limits are missing', () => {
  expect(findCgroups(root)).toBeUndefined();
  mkdirSync(join(root, 'memory'));
  expect(findCgroups(root)).toBeUndefined();
  writeFileSync(join(root, 'cgroup.controllers'), '\n');
  expect(findCgroups(root)).toBeUndefined();
});

test('Limits in a tree per controller use the files of version 1', async () => {
  for (const tree of ['memory', 'cpu', 'pids', 'unified']) mkdirSync(join(root, tree));
  const layout = { version: 1, root, trees: ['memory', 'cpu', 'pids', 'unified'] } as const;
  await ensureCgroups(layout, 'm', { memoryMiB: 512, cores: 2 });
  expect(read('memory/grigri/m/memory.limit_in_bytes')).toBe('536870912');
  expect(read('cpu/grigri/m/cpu.cfs_quota_us')).toBe('200000');
  await ensureCgroups(layout, 'm', {});
  expect(read('memory/grigri/m/memory.limit_in_bytes')).toBe('-1');
  expect(read('cpu/grigri/m/cpu.cfs_quota_us')).toBe('-1');
});
