/**
 * A controller on this host that takes other programs: variants of this build. Each test goes on where the one before
 * ended; what was acknowledged before is looked for after each.
 */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type Ran, type World } from '../world.ts';
import { controllerVariant, unwell, withNewFormats } from './release-variants.ts';

let world: World;
/** Number of changes that were acknowledged. */
let changes = 0;

beforeAll(async () => {
  world = await startWorld('upgrade-controller');
});
afterAll(async () => {
  expect(await world?.end()).toEqual([]);
});

const variant = (name: string, change: (text: string) => string): string =>
  controllerVariant(join(mkdtempSync(join(world.dir, 'variant-')), name), change);
const another = (name: string): string => variant(name, (text) => `// ${name}\n${text}`);
const upgradeTo = (program: string): Promise<Ran> =>
  world.attempt('upgrade-controller', '--program', program);
const pid = (): number => world.controllerPid();
const programs = (): string => join(world.controllerDir, 'programs');
const chosen = (): { current: string; trying?: object; failed?: { message: string } } =>
  JSON.parse(readFileSync(join(programs(), 'chosen.json'), 'utf8')) as ReturnType<typeof chosen>;
async function change(): Promise<void> {
  await world.grigri('model-config', `update-status-hook-interval=${++changes}m`);
}
async function expectChanges(): Promise<void> {
  expect(await world.grigri('model-config', 'update-status-hook-interval')).toBe(`${changes}m\n`);
  await change();
}
async function statusOfController(): Promise<string> {
  const { stdout } = await world.run(['status', '--format', 'json'], { model: 'controller' });
  const { machines } = JSON.parse(stdout) as {
    machines: Record<string, { 'juju-status': { message?: string } }>;
  };
  return machines['0']!['juju-status'].message ?? '';
}

test('a controller has the program of its client: nothing is upgraded', async () => {
  await change();
  const { code, stdout, stderr } = await world.attempt('upgrade-controller');
  expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: 'no upgrades available\n' });
});

test('a controller takes another program, in the same process, with all that it had', async () => {
  const before = pid();
  const other = another('one');
  const dry = await world.attempt('upgrade-controller', '--program', other, '--dry-run');
  expect(dry.stdout).toMatch(
    /^upgrade to this version by running\n {4}grigri upgrade-controller --program '\/.*one'\n$/,
  );
  expect(existsSync(join(programs(), 'chosen.json'))).toBe(false);
  const { code, stdout, stderr } = await upgradeTo(other);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(
    /^upgraded controller "upgrade-controller-\d+" from program [0-9a-f]{12} to [0-9a-f]{12}\n$/,
  );
  // What both have in common was not sent: the runtime, above all.
  expect(stderr).toMatch(/Sending the program \([5-9] MiB\)/);
  expect(pid()).toBe(before);
  expect(chosen().trying).toBeUndefined();
  await expectChanges();
  expect((await upgradeTo(other)).stderr).toContain('no upgrades available');
});

test('a program that cannot run here is refused, and the controller goes on', async () => {
  const before = chosen();
  const bad = variant('bad', (text) => `throw new TypeError('does not load');\n${text}`);
  const { code, stderr } = await upgradeTo(bad);
  expect(code).toBe(1);
  expect(stderr).toMatch(/ERROR program [0-9a-f]{12} cannot run here: TypeError: does not load/);
  expect(chosen()).toEqual(before);
  await expectChanges();
});

test.each<[what: string, change: (text: string) => string, why: string]>([
  [
    'ends at its start',
    (text) => `if (process.argv[2] === 'run') process.exit(7);\n${text}`,
    'it ended 3 times before it had come up',
  ],
  ['is not well', unwell, 'it ended 3 times before it had come up: {"error":{"message":"not found"'],
  [
    'is not well, and has converted the store',
    (text) => unwell(withNewFormats(text)),
    'it ended 3 times before it had come up: {',
  ],
])(
  'a program that %s is left for the one before, with the store as it was',
  async (what, changeText, why) => {
    const before = chosen().current;
    const { code, stderr } = await upgradeTo(variant(what.replaceAll(/\W/g, '-'), changeText));
    expect(code).toBe(1);
    expect(stderr).toContain(`did not come up: ${why}`);
    expect(chosen()).toMatchObject({
      current: before,
      failed: { message: expect.stringContaining(why) as string },
    });
    expect(existsSync(join(world.controllerDir, 'store.db.format-9'))).toBe(false);
    expect(await statusOfController()).toContain(why);
    expect(await world.grigri('show-controller')).toContain('did not come up');
    await expectChanges();
  },
);

test('a program with a newer format of the store converts it, and there is no way back to the one before', async () => {
  const older = another('older');
  const { code, stderr } = await upgradeTo(variant('newer', (text) => withNewFormats(text)));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await statusOfController()).toBe('');
  await expectChanges();
  const back = await upgradeTo(older);
  expect(back.code).toBe(1);
  expect(back.stderr).toMatch(/program [0-9a-f]{12} is too old: it knows formats of the store up to \d+/);
  await expectChanges();
});

/** Kills the controller, unless a program that is not well has just ended by itself. */
function killController(): void {
  try {
    world.killController();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

test('a controller that is killed at any step of an upgrade has the old program or the new one', async () => {
  for (let step = 0; step < 10; step++) {
    const before = chosen().current;
    // Each converts the store, and each second one does not come up.
    const program = variant(`kill-${step}`, (text) => {
      const newer = withNewFormats(text, step + 2);
      return step % 2 ? unwell(newer) : newer;
    });
    const upgrade = upgradeTo(program);
    // The steps take some 3 s together.
    await sleep(600 + 300 * step);
    killController();
    await upgrade;
    await expectChanges();
    await world.until('the trial to have an end', async () => {
      await world.grigri('controllers');
      return chosen().trying === undefined;
    });
    if (step % 2) expect(chosen().current).toBe(before);
    await expectChanges();
  }
});

test('a controller that was stopped starts with the program that it has chosen, whichever client starts it', async () => {
  const { current } = chosen();
  world.killController();
  await expectChanges();
  expect(chosen().current).toBe(current);
  const { stderr } = await world.attempt('upgrade-controller');
  // This client's own program is too old for the store.
  expect(stderr).toContain('is too old');
});
