/** `grigri test` on real machines: passes, failures, JUnit, --watch and ^C, and nothing is left. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { root } from '../world.ts';

let dir: string;
/** Folder in which controllers are made; it is empty after each run. */
let temporary: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-charm-test-'));
  temporary = join(dir, 'tmp');
  mkdirSync(temporary);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(async () => {
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(dir)).not.toContain('juju');
  // Processes that remove the rest of a killed test end after the last file.
  const processes = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  await expect.poll(processes).not.toContain(`${temporary}/`);
});

interface Run {
  readonly child: ChildProcess;
  /** Output of both streams until now. */
  readonly output: () => string;
  readonly code: Promise<number | null>;
}

function grigriTest(...args: string[]): Run {
  const still = ['--config', 'enable-os-refresh-update=false'];
  const child = spawn(join(root, 'bin/grigri'), ['test', ...args, ...still], {
    cwd: dir,
    env: { ...process.env, JUJU_DATA: join(dir, 'juju'), HOME: dir, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return { child, output: () => text, code: new Promise((resolve) => child.on('close', resolve)) };
}

function write(path: string, text: string): string {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text, { mode: 0o755 });
  return join(dir, path);
}

function charm(name: string, install: string): string {
  write(
    `${name}/metadata.yaml`,
    `name: ${name}\nsummary: s\ndescription: d\nrequires: {db: {interface: mysql}}\n`,
  );
  write(`${name}/hooks/install`, `#!/bin/sh\n${install}\n`);
  return join(dir, name);
}

test('a charm passes without a scenario, and with one that deploys another charm by its path', async () => {
  const scenario = write(
    'stories/shop.txt',
    `# The page is served
$ deploy $CHARM
$ deploy ${join(root, 'examples/kv')}
$ integrate web kv
wait until application web is active
wait until application kv is settled
`,
  );
  const alone = grigriTest(join(root, 'examples/kv'));
  expect(await alone.code, alone.output()).toBe(0);
  expect(alone.output()).toContain('kv: 1 of 1 scenario passed');
  const shop = grigriTest(join(root, 'examples/web'), '--scenario', scenario, '--format', 'json');
  expect(await shop.code, shop.output()).toBe(0);
  expect(shop.output()).toContain('"title":"The page is served","file":');
});

test('a failure shows the hook with its output, and is in the JUnit file', async () => {
  const path = charm('bad', 'echo "no <disk>" >&2; exit 3');
  const run = grigriTest(path, '--junit', 'results.xml');
  expect(await run.code, run.output()).toBe(1);
  expect(run.output()).toMatch(/found +unit bad\/0 is in error \(hook failed: "install"\)/);
  expect(run.output()).toContain(`Output of bad/0's hook install, which failed\n    | no <disk>`);
  expect(run.output()).toContain('unit bad/0: created on machine 0');
  expect(readFileSync(join(dir, 'results.xml'), 'utf8')).toContain('no &lt;disk&gt;');
});

test('a scenario that cannot be read is wrong usage', async () => {
  const run = grigriTest(charm('any', 'true'), '--scenario', write('odd.txt', '# t\nmake coffee\n'));
  expect(await run.code).toBe(2);
  expect(run.output()).toContain('odd.txt:2: "make coffee" is nothing that a scenario can say');
});

test('--watch goes on from the step that failed, and checks again; ^C removes everything', async () => {
  const path = charm('watched', 'exit 1');
  const story = (says: string, name = 'watched') => `# It is active
$ deploy $CHARM ${name}
wait until unit ${name}/0 is active with ready
$ exec --unit ${name}/0 "cat here"
> ${says}
`;
  const scenario = write('watched.txt', story('here'));
  const junit = join(path, 'results.xml');
  const run = grigriTest(path, '--scenario', scenario, '--watch', '--junit', junit);
  try {
    await expect.poll(run.output).toContain('Watching ');
    expect(run.output()).toContain('watched: FAILED');
    charm('watched', 'status-set active ready; echo here >here');
    await expect.poll(run.output).toContain('watched: 1 of 1 scenario passed');
    write('watched/hooks/upgrade-charm', '#!/bin/sh\necho changed >here\n');
    await expect.poll(() => run.output().split('watched: FAILED').length).toBe(3);
    expect(run.output()).toContain('"here" is not in its output');
    write('watched.txt', story('changed'));
    await expect.poll(() => run.output().split('watched: 1 of 1 scenario passed').length).toBe(3);
    write('watched.txt', '# t\nmake coffee\n');
    await expect
      .poll(run.output)
      .toContain('watched.txt:2: "make coffee" is nothing that a scenario can say');
    write('watched.txt', story('here', 'other'));
    await expect.poll(run.output).toContain('watched begins anew');
    await expect.poll(() => run.output().split('watched: 1 of 1 scenario passed').length).toBe(4);
  } finally {
    run.child.kill('SIGINT');
    await run.code;
  }
  // The exit code is 0, since all scenarios passed in their last run.
  expect(await run.code).toBe(0);
});

test('a refused refresh is tried again with a changed scenario, which is not played against the charm before', async () => {
  const path = charm('refused', 'status-set active ready');
  const metadata = readFileSync(join(path, 'metadata.yaml'), 'utf8');
  const story = '# It is active\n$ deploy $CHARM refused\nwait until unit refused/0 is active\n';
  const scenario = write('refused.txt', story);
  const run = grigriTest(path, '--scenario', scenario, '--watch');
  const times = (text: string) => run.output().split(text).length - 1;
  try {
    await expect.poll(() => times('refused: 1 of 1 scenario passed')).toBe(1);
    write('refused/metadata.yaml', `${metadata}assumes: [juju >= 9.1]\n`);
    await expect.poll(() => times('juju >= 9.1')).toBe(1);
    write('refused.txt', `${story}$ exec --unit refused/0 true\n`);
    await expect.poll(() => times('juju >= 9.1')).toBe(2);
    write('refused/config.yaml', '- port\n');
    await expect.poll(() => times(`ERROR ${path}: invalid config: expected a map`)).toBe(1);
    expect(times('ERROR ERROR')).toBe(0);
    expect(times('refused: 1 of 1 scenario passed')).toBe(1);
    write('refused/config.yaml', 'options: {}\n');
    write('refused/metadata.yaml', metadata);
    await expect.poll(() => times('refused: 1 of 1 scenario passed')).toBe(2);
  } finally {
    run.child.kill('SIGINT');
    await run.code;
  }
});

test('a root file system that cannot be added is reported, and nothing is left', async () => {
  const run = grigriTest(charm('based', 'exit 0'), '--local-image', 'ubuntu@24.04=nowhere.tar');
  expect(await run.code).toBe(1);
  expect(run.output()).toContain('no root file system for ubuntu@24.04 could be added');
});

test('a kill in the middle removes everything', async () => {
  const run = grigriTest(charm('killed', 'status-set maintenance here; sleep 600'));
  await expect.poll(run.output).toContain('Controller ready');
  const machines = () => globSync('grigri-test-*/controller/machines/*/juju-*/ready', { cwd: temporary });
  await expect.poll(machines).toHaveLength(1);
  run.child.kill('SIGKILL');
  await run.code;
  await expect.poll(() => readdirSync(temporary)).toEqual([]);
});

test('^C in the middle removes everything', async () => {
  const run = grigriTest(charm('slow', 'sleep 600'));
  await expect.poll(run.output).toContain('Controller ready');
  run.child.kill('SIGINT');
  expect(await run.code).toBe(130);
});
