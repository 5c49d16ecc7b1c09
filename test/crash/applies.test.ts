/**
 * kill -9 of the controller, or of the client, after each step of an apply: the same command run again makes the model
 * that an apply without a kill makes, and after that changes nothing.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let path: string;
/** Number of steps of a whole apply, and the model after it. */
let steps: number;
let whole: string;

beforeAll(async () => {
  world = await startWorld('applies', { patienceMs: 5 * 60_000 });
  const store = world.charm('store', { metadata: 'provides:\n  db: {interface: kv}\n' });
  const web = world.charm('web', {
    metadata: 'requires:\n  db: {interface: kv}\n',
    config: 'options: {motto: {type: string}}\n',
  });
  path = join(world.dir, 'model.yaml');
  writeFileSync(
    path,
    `name: shop
settings: {update-status-hook-interval: 10m}
storage-pools: {fast: {provider: rootfs}}
applications:
  store: {charm: ${store}, num_units: 0, offers: {data: {endpoints: [db]}}}
  web: {charm: ${web}, num_units: 0, options: {motto: hello}, expose: true, after: {store: active}}
relations: [["web:db", "store:db"]]
`,
  );
  const { lines } = await applyIn('whole');
  steps = lines.filter((line) => line.startsWith('- ')).length;
  whole = await exported('whole');
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

/** The model's file, by the same name for each model. */
async function exported(model: string): Promise<string> {
  const { stdout, stderr, code } = await world.run(['export'], { model });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.replaceAll(model, 'MODEL');
}

/** Applies the file to a new model. `killed` is killed as soon as that many steps are told as done. */
async function applyIn(
  model: string,
  { killed, after }: { readonly killed?: 'controller' | 'client'; readonly after?: number } = {},
): Promise<{ readonly lines: readonly string[]; readonly code: number | null }> {
  await world.addModel(model);
  const env = { ...process.env, JUJU_DATA: join(world.dir, 'client'), JUJU_MODEL: `${world.name}:${model}` };
  const client = spawn(join(root, 'bin/grigri'), ['apply', path, '--no-prompt'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => client.on('close', resolve));
  const lines: string[] = [];
  let done = 0;
  const read = (line: string): void => {
    lines.push(line);
    if (!line.startsWith('- ') || ++done !== after) return;
    process.kill(killed === 'client' ? client.pid! : world.controllerPid(), 'SIGKILL');
  };
  for (const input of [client.stdout, client.stderr]) createInterface({ input }).on('line', read);
  return { code: await ended, lines };
}

test.each(['controller', 'client'] as const)(
  'an apply whose %s is killed after any of its steps is completed by the next, and the one after that changes nothing',
  async (killed) => {
    expect(steps).toBeGreaterThan(7);
    let stopped = 0;
    for (let after = 1; after < steps; after++) {
      const model = `${killed}-${after}`;
      const { code } = await applyIn(model, { killed, after });
      if (code !== 0) stopped++;
      await world.until(`the apply to ${model} to be completed`, async () => {
        const again = await world.run(['apply', path, '--no-prompt'], { model });
        return again.code === 0;
      });
      expect(await exported(model)).toBe(whole);
      const { stdout } = await world.run(['apply', path, '--no-prompt', '--prune'], { model });
      expect(stdout).toMatch(/^Nothing to change/);
    }
    // A kill after one of the last steps may come too late.
    expect(stopped).toBeGreaterThan(steps / 2);
  },
);
