/**
 * kill -9 of the controller in the middle of an upload: nothing of the upload is left, and the same command works
 * afterwards.
 */
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilProgramKept } from '../controller-waits.ts';
import { startWorld, type Ran, type World } from '../world.ts';

const MiB = 1024 * 1024;
let world: World;
let charm: string;

beforeAll(async () => {
  world = await startWorld('uploads', { patienceMs: 5 * 60_000 });
  const resources = 'resources: {data: {type: file, filename: data.bin, description: d}}';
  charm = world.charm('big', {
    hooks: { install: 'true' },
    metadata: `name: big\nsummary: s\ndescription: d\n${resources}\n`,
  });
  await world.grigri('deploy', charm, 'big', '-n', '0');
  await untilProgramKept(world);
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

/** Returns the files that are being received, with their sizes. */
function receiving(): number[] {
  const folder = join(world.controllerDir, 'uploads');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const stat = statSync(join(parentPath, name), { throwIfNoEntry: false });
      return stat ? [stat.size] : [];
    });
}

/** Runs the command, and kills the controller once it has received a part of the command's upload. */
async function killedDuring(...args: string[]): Promise<Ran> {
  const running = world.attempt(...args);
  // The priority ensures that the check comes in time whatever else this host does.
  setPriority(-20);
  while (!receiving().some((size) => size > 0)) await sleep(2);
  world.killController();
  setPriority(0);
  const killed = await running;
  expect(receiving(), 'it was killed before the end').not.toEqual([]);
  return killed;
}

test('a resource whose upload a killed controller interrupts leaves nothing, and the same command works afterwards', async () => {
  const file = join(world.dir, 'data.bin');
  writeFileSync(file, 'begins');
  truncateSync(file, 2048 * MiB);
  const { code, stderr } = await killedDuring('attach-resource', 'big', `data=${file}`);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/failed to upload resource "data": .+/) as string,
  });
  const sizes = async (): Promise<number[]> => {
    const text = await world.grigri('resources', 'big', '--format', 'json');
    return (JSON.parse(text) as { resources: { size: number }[] }).resources.map(({ size }) => size);
  };
  expect(await sizes()).toEqual([0]);
  expect(receiving()).toEqual([]);
  truncateSync(file, 64 * MiB);
  await world.grigri('attach-resource', 'big', `data=${file}`);
  expect(await sizes()).toEqual([64 * MiB]);
  expect(receiving()).toEqual([]);
});

test('a charm whose upload a killed controller interrupts leaves nothing, and the same command works afterwards', async () => {
  const large = Buffer.alloc(200 * MiB);
  // Random content, so that the compressed archive is equally large.
  for (let at = 0; at < large.length; at += 8) large.writeDoubleLE(Math.random(), at);
  writeFileSync(join(charm, 'large'), large);
  const { code, stderr } = await killedDuring('refresh', 'big', '--path', charm);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/\S/) as string });
  const revision = async (): Promise<number> => {
    const text = await world.grigri('status', '--format', 'json');
    const { applications } = JSON.parse(text) as { applications: { big: { 'charm-rev': number } } };
    return applications.big['charm-rev'];
  };
  expect(await revision()).toBe(0);
  expect(receiving()).toEqual([]);
  await world.grigri('refresh', 'big', '--path', charm);
  expect(await revision()).toBe(1);
  expect(receiving()).toEqual([]);
});
