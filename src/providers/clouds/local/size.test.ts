import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Constraints } from '../../../core/constraints.ts';
import { createWorld, startParams, type World } from '../../../testing/provider-world.ts';
import type { CgroupLayout } from './cgroups.ts';
import { createLocalProvider } from './index.ts';
import { baseOfRoot } from './root-files.ts';
import { checkSize, memoryMinMiB, sizeAround } from './size.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Creates a cgroup layout whose enclosing limits are the given ones. */
function layout(bytes: string, cpu: string): CgroupLayout {
  const root = mkdtempSync(join(tmpdir(), 'grigri-size-'));
  undo.push(() => rmSync(root, { recursive: true }));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'memory.max'), `${bytes}\n`);
  writeFileSync(join(root, 'cpu.max'), `${cpu}\n`);
  return { version: 2, root };
}

const gigabyte = 2 ** 30;

test.each<[Constraints, string | undefined]>([
  [{}, undefined],
  [{ mem: 0, cores: 0 }, undefined],
  [{ mem: memoryMinMiB, cores: 1 }, undefined],
  [{ mem: 1024 }, undefined],
  [{ mem: memoryMinMiB - 1 }, `mem=95M is too small: a machine with its agent needs 96M`],
  [{ mem: 1025 }, "mem=1025M is more than this host's 1024M"],
  [{ cores: 2 }, "cores=2 is more than this host's 1"],
])('Constraints %j within limits of 1 GiB and one core give: %s', async (constraints, refusal) => {
  const around = layout(String(gigabyte), '100000 100000');
  const checked = checkSize(constraints, around, "this host's");
  if (refusal === undefined) await checked;
  else await expect(checked).rejects.toMatchObject({ code: 'not valid', message: refusal });
});

test('A machine has memory for its own agent and those of its containers', async () => {
  const around = layout(String(200 * 2 ** 20), 'max 100000');
  await checkSize({}, around, "its machine's", 2);
  await expect(checkSize({}, around, "its machine's", 3)).rejects.toThrow(
    "its machine's 200M are too little for another container: each needs 64M, as the machine does itself",
  );
});

test('The size without limits is the whole host, and no request is too small', async () => {
  const all = { cores: cpus().length, mem: Math.floor(totalmem() / 1024 / 1024) };
  expect(await sizeAround(undefined)).toEqual(all);
  expect(await sizeAround(layout('max', 'max 100000'))).toEqual(all);
  await checkSize({ mem: 1, cores: all.cores }, undefined, "this host's");
});

test('A request that can never run is refused by the precheck and by the start', async () => {
  const world: World = createWorld();
  const provider = createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  });
  undo.push(() => world.end(provider));
  const environ = world.open(provider);
  const constraints = { cores: 99_999 };
  const why = /^cores=99999 is more than this host's \d+$/;
  const base = (await baseOfRoot('/'))!;
  await expect(environ.precheck({ base, constraints })).rejects.toMatchObject({ code: 'not valid' });
  const start = environ.instances.start(startParams(world, '0', { constraints }), world.never);
  await expect(start).rejects.toMatchObject({ class: 'bad request', message: expect.stringMatching(why) });
  expect(await environ.instances.list(world.never)).toEqual([]);
  // Explicit zeros are the same as no constraint.
  await environ.precheck({ base, constraints: { arch: '', mem: 0, cores: 0 } });
});

test('No machine is started while the host’s memory is used up, and running ones stay', async () => {
  const world: World = createWorld();
  let free = 100_000;
  const provider = createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
    freeMemory: () => free,
  });
  undo.push(() => world.end(provider));
  const { instances } = world.open(provider);
  await instances.start(startParams(world, '0'), world.never);
  free = 255;
  await expect(instances.start(startParams(world, '1'), world.never)).rejects.toMatchObject({
    class: 'quota',
    message: expect.stringMatching(
      /^this host's memory is used up: 255 MiB are free, and another machine needs \d+ MiB$/,
    ),
  });
  await instances.start(startParams(world, '0'), world.never);
  expect((await instances.list(world.never)).map(({ status }) => status)).toEqual(['running']);
  free = 1024;
  await instances.start(startParams(world, '1'), world.never);
  expect(await instances.list(world.never)).toHaveLength(2);
});
