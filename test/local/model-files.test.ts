/** A model file of three tiers on real machines: applied, edited, pruned, by two at once and by clients that are killed. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
/** Paths of the charms. */
let store: string;
let web: string;
beforeAll(async () => {
  world = await startWorld('model-files');
  const active = { start: 'status-set active' };
  store = world.charm('store', { metadata: 'provides:\n  db: {interface: kv}\n', hooks: active });
  web = world.charm('web', { metadata: 'requires:\n  db: {interface: kv}\n', hooks: active });
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
});

/** Writes the model file. */
function file(webs: number, logs = 0): void {
  const path = join(world.dir, 'model.yaml');
  const more = logs === 0 ? '' : `  logs: {charm: ${web}, num_units: ${logs}}\n`;
  const text = `name: shop
applications:
  store: {charm: ${store}, num_units: 1}
  web: {charm: ${web}, num_units: ${webs}, after: {store: active}}
${more}relations: [["web:db", "store:db"]]
`;
  writeFileSync(path, text);
}

const units = async (): Promise<string[]> =>
  Object.values((await world.status()).applications).flatMap(({ units: all = {} }) => Object.keys(all));
const apply = (...flags: string[]): Promise<string> =>
  world.grigri('apply', join(world.dir, 'model.yaml'), '--no-prompt', ...flags);
const waits = ['--wait', 'active', '--timeout', '4m'];

test('three tiers become active in order; the file after an edit takes away only what it made', async () => {
  file(2, 1);
  await apply('--parallel', '4', ...waits);
  expect((await units()).sort()).toEqual(['logs/0', 'store/0', 'web/0', 'web/1']);
  expect(await apply()).toMatch(/^Nothing to change/);
  await world.grigri('deploy', web, 'by-hand', '-n', '0');
  file(1);
  await apply('--prune', ...waits);
  await world.until('the removed units are gone', async () => (await units()).length === 2);
  expect(Object.keys((await world.status()).applications).sort()).toEqual(['by-hand', 'store', 'web']);
  expect(await apply('--prune')).toMatch(/^Nothing to change/);
});

test('clients that are killed in the middle, and a second one at once, leave a model that the next apply completes', async () => {
  for (const line of ['- upload charm', '- deploy application', '- add unit']) {
    file(2, 1);
    await killedAfter(line);
    // The second is refused while the first is at work, or finds what it has left.
    await Promise.all([1, 2].map(() => world.attempt('apply', join(world.dir, 'model.yaml'), '--no-prompt')));
    await apply(...waits);
    expect(await apply('--prune')).toMatch(/^Nothing to change/);
    file(1);
    await apply('--prune', ...waits);
    await world.until('the removed units are gone', async () => (await units()).length === 2);
  }
});

test('the only application of a charm is replaced in one run, or in two when the client is killed meanwhile', async () => {
  const stop = 'sleep 5';
  const reader = world.charm('reader', {
    metadata: 'requires:\n  db: {interface: kv}\n',
    hooks: { start: 'status-set active', stop },
  });
  const other = world.charm('other', {
    metadata: 'requires:\n  source: {interface: kv}\n',
    hooks: { start: 'status-set active' },
  });
  const write = (charm: string, require: string, endpoint = 'db'): void =>
    writeFileSync(
      join(world.dir, 'model.yaml'),
      `name: readers
applications: {reader: {charm: "${charm}", num_units: 1, require: [${require}]}, store: {charm: ${store}}}
relations: [["reader:${endpoint}", "store:db"]]
`,
    );
  write(reader, '');
  await apply(...waits);
  write('local:reader-0', 'db');
  await apply('--replace', 'reader', ...waits);
  expect(await apply('--replace', 'reader')).toMatch(/^Nothing to change/);
  const units = async () => Object.keys((await world.status()).applications['reader']!.units ?? {});
  expect(await units()).toEqual(['reader/1']);
  for (const [killedAt, require] of [
    ['waiting until application reader', ''],
    ['- remove application', 'db'],
  ] as const) {
    write('local:reader-0', require);
    await killedAfter(killedAt, '--replace', 'reader', '--verbose');
    await apply('--replace', 'reader', ...waits);
    expect(await apply('--replace', 'reader')).toMatch(/^Nothing to change/);
  }
  expect(await units()).toEqual(['reader/3']);
  write(other, 'source', 'source');
  await apply('--replace', 'reader', ...waits);
  expect(await apply('--replace', 'reader')).toMatch(/^Nothing to change/);
});

/** Applies the file, and kills the client when it has printed the line. */
function killedAfter(line: string, ...flags: string[]): Promise<void> {
  return new Promise((resolve) => {
    const args = ['apply', join(world.dir, 'model.yaml'), '--no-prompt', ...flags];
    const env = { ...process.env, JUJU_DATA: join(world.dir, 'client') };
    const client = spawn(join(root, 'bin/grigri'), args, { cwd: world.dir, env });
    let output = '';
    client.stderr.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.includes(line)) client.kill('SIGKILL');
    });
    client.on('close', () => resolve());
  });
}
