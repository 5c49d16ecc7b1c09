/**
 * Contents of secrets of all kinds, that pass through hooks, actions, commands and failures are nowhere in clear: in no
 * answer, log, database or file of an agent. When the secrets are removed, not even the sealed contents are left.
 * Controller, agents and charms are real; only the machines are simulated.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MachineAgent } from '../agent/machine/machine-agent.ts';
import { createSimulatedProvider, SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type CliRun, type TestCli } from './cli.ts';
import { testController, type TestController } from './controller.ts';
import { startMachineAgent } from './start-machine-agent.ts';

let machines: string;
let controller: TestController;
let cli: TestCli;
const agents: MachineAgent[] = [];
const logs: string[] = [];
beforeAll(async () => {
  machines = mkdtempSync(join(tmpdir(), 'grigri-in-clear-'));
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    onStart: async ({ params: { machineId, agent } }) => {
      const { agentConf } = agent;
      const onLine = (line: string): void => void logs.push(line);
      const { address } = controller;
      agents.push(await startMachineAgent({ dir: machines, machineId, agentConf, address, onLine }));
    },
  });
  controller = await testController(createSimulatedProvider(cloud));
  cli = testCli();
  await knowController(cli, controller);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
  rmSync(machines, { recursive: true });
});

// Charms build the mark from two halves, since they are in files themselves. They output everything that they know.
const tell = `tell() {
  echo "stdout $1"; echo "stderr $1" >&2; juju-log "log $1"; juju-log "base64 $(printf %s "$1" | base64 -w0)"
  status-set active "status $1"
}`;
const half = 'nee$(echo dle)';
const keeper = {
  'metadata.yaml': 'name: keeper\nsummary: s\ndescription: d\nprovides:\n  server: {interface: sql}\n',
  'actions.yaml': `
set-password: {params: {value: {type: string}, size: {type: integer}}}
get-password: {}
lose: {}
`,
  'hooks/install': `secret-add --owner unit --label own "word=${half}-of-unit"; tell "$(secret-get --label own word)"`,
  'hooks/leader-elected': `
state-set id=$(secret-add --label pw --rotate yearly "password=${half}-first")
tell "${half}-first"`,
  'hooks/start': 'status-set active ready',
  'hooks/server-relation-created': `
secret-grant $(state-get id) -r $JUJU_RELATION_ID
relation-set --app secret=$(state-get id)`,
  'hooks/secret-remove': 'secret-remove $JUJU_SECRET_ID --revision $JUJU_SECRET_REVISION',
  'actions/set-password': `
value=$(action-get value)
secret-set $(state-get id) "password=$value"
tell "$value"
action-log "log $value"
action-set "value=$value"`,
  'actions/get-password': 'action-set "value=$(secret-get --label pw --peek password)"',
  'actions/lose':
    'action-fail "lost $(secret-get --label pw --peek password)"; secret-get --label own word; exit 3',
};
const reader = {
  'metadata.yaml': 'name: reader\nsummary: s\ndescription: d\nrequires:\n  db: {interface: sql}\n',
  'config.yaml': 'options:\n  token: {type: secret, description: A secret of the user.}\n',
  'hooks/db-relation-changed': `
id=$(relation-get --app secret keeper)
[ -n "$id" ] || exit 0
tell "$(secret-get $id --label theirs password)"`,
  // The hook fails the first time, after it has read the new revision, and runs again.
  'hooks/secret-changed': `
tell "$(secret-get --label theirs --refresh password)"
[ -f ../failed ] || { touch ../failed; echo "cannot use $(secret-get --label theirs password)" >&2; exit 4; }
touch ../changed`,
  'hooks/config-changed': '[ -z "$(config-get token)" ] || tell "$(secret-get $(config-get token) token)"',
};

function writeCharm(name: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(cli.folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    const isProgram = path.includes('/');
    writeFileSync(file, isProgram ? `#!/bin/sh\nset -eu\n${tell}\n${text}\n` : text, {
      mode: isProgram ? 0o755 : 0o644,
    });
  }
}

/** Forms of the mark: itself, and its base64 at each of the three places where it may begin. */
const encoded = [0, 1, 2].map((before) => {
  const text = Buffer.from(`${'x'.repeat(before)}needle`).toString('base64');
  return text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1);
});
const clear = new RegExp(['needle', ...encoded].join('|'));

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((file) =>
    file.isFile() ? [join(file.parentPath, file.name)] : [],
  );
}
const filesInClear = (): string[] =>
  [controller.dataDir, machines].flatMap(filesOf).filter((path) => clear.test(readFileSync(path, 'latin1')));
const sealed = (): string[] =>
  filesOf(controller.dataDir)
    .filter((path) => path.includes('secrets.db'))
    .flatMap((path) => readFileSync(path, 'latin1').match(/sealed:1:[\w+/=]{40,}/g) ?? []);

async function ok(...args: string[]): Promise<string> {
  const done = await cli.run(args);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return done.stdout;
}
async function said(...args: string[]): Promise<string> {
  const { stdout, stderr }: CliRun = await cli.run(args);
  return stdout + stderr;
}
async function status(unit: string): Promise<string> {
  const { applications } = JSON.parse(await ok('status', '--format', 'json')) as {
    applications: Record<
      string,
      { units?: Record<string, Record<string, { current: string; message?: string }>> }
    >;
  };
  const shown = applications[unit.split('/')[0]!]?.units?.[unit] ?? {};
  const { current, message = '' } = shown['workload-status'] ?? { current: 'none' };
  return `${current} ${message} ${shown['juju-status']?.current}`;
}
const patient = { timeout: 60_000, interval: 100 };

async function play(): Promise<void> {
  await ok('add-model', 'work');
  for (const [name, files] of Object.entries({ keeper, reader })) {
    writeCharm(name, files);
    await ok('deploy', `./${name}`, '--base', 'ubuntu@24.04');
    await expect.poll(() => status(`${name}/0`), patient).toMatch(/ idle$/);
  }
  await ok('integrate', 'keeper', 'reader');
  await expect.poll(() => status('reader/0'), patient).toBe('active status ***** idle');

  writeFileSync(join(cli.folder, 'content'), 'needle-of-file');
  const uri = (await ok('add-secret', 'api', 'token=needle-of-user')).trim();
  await ok('add-secret', 'encoded', `token#base64=${Buffer.from('needle-encoded').toString('base64')}`);
  await ok('add-secret', 'filed', 'token#file=content');
  await ok('update-secret', 'filed', 'token=needle-of-update');
  await ok('grant-secret', 'api', 'reader');
  await ok('config', 'reader', `token=${uri}`);

  expect(await ok('run', 'keeper/0', 'set-password', 'value=needle-second')).toContain('needle-second');
  await expect.poll(() => filesOf(machines).some((path) => path.endsWith('/changed')), patient).toBe(true);
  await expect.poll(() => status('reader/0'), patient).toBe('active status ***** idle');
  expect(await ok('run', 'keeper/0', 'get-password')).toContain('needle-second');
  expect(await said('run', 'keeper/0', 'lose')).toContain('failed: lost *****');
  expect(await said('run', 'keeper/0', 'set-password', 'size=needle-refused')).toContain(
    'given "needle-refused"',
  );
  const read = await ok('exec', '--unit', 'reader/0', '--', 'secret-get --label theirs password');
  expect(read).toBe('needle-second\n');
  await said('exec', '--unit', 'reader/0', '--', 'test needle-typed = x');
  await ok('exec', '--unit', 'keeper/0', '--', 'secret-set $(state-get id) password=needle-by-command');
}

/** Commands whose answers must not show a content, since they do not ask for one. */
const questions: readonly (readonly string[])[] = [
  ...['tabular', 'json', 'yaml', 'line', 'short', 'summary'].map((format) => ['status', '--format', format]),
  ['show-unit', 'keeper/0', 'reader/0'],
  ['show-application', 'keeper', 'reader'],
  ['show-status-log', 'reader/0', '-n', '100'],
  ['debug-log', '--replay', '--no-tail', '-l', 'TRACE'],
  ['history'],
  ['history', '--format', 'yaml'],
  ['operations'],
  ['secrets', '--format', 'yaml'],
  ['show-secret', 'api', '--revisions'],
  ['explain', 'secret', 'api'],
  ['export-bundle'],
  ['config', 'reader'],
];

test(
  'contents are nowhere in clear while they are used, and gone when they are removed',
  { timeout: 240_000 },
  async () => {
    await play();
    for (const question of questions) expect(await said(...question), question.join(' ')).not.toMatch(clear);
    expect(logs.join('\n')).toContain('stdout *****');
    expect(logs.join('\n')).not.toMatch(clear);
    const [model = ''] = Object.values(
      JSON.parse(await ok('show-model', 'work', '--format', 'json')) as Record<
        string,
        { 'model-uuid': string }
      >,
    ).map((shown) => shown['model-uuid']);
    const admin = await controller.connect(model);
    const { 'watcher-id': id } = await admin.call<{ 'watcher-id': string }>('Client', 'WatchAll');
    expect(JSON.stringify(await admin.call('AllWatcher', 'Next', {}, { id }))).not.toMatch(clear);
    await admin.close();
    expect(filesInClear()).toEqual([]);
    expect(sealed().length).toBeGreaterThanOrEqual(6);

    await ok('remove-secret', 'filed', '--revision', '1');
    for (const name of ['api', 'encoded', 'filed']) await ok('remove-secret', name);
    await ok('remove-application', 'keeper', 'reader', '--no-prompt', '--force', '--no-wait');
    await expect.poll(sealed, patient).toEqual([]);
    expect(filesInClear()).toEqual([]);
    expect(await said('history')).not.toMatch(clear);
  },
);
