/** Ownership of a controller's directory by one process, and errors for its damaged files. */
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../client/connect.ts';
import { daemonPid, startDaemon, startNewDaemon, stopDaemon } from '../../cli/daemon.ts';
import { eventually } from '../../testing/eventually.ts';
import { loadProviders } from '../../providers/external.ts';
import type { InitConfig } from '../../wire/controller-init.ts';
import { programFileNames } from '../../core/controller/program.ts';
import { schema } from '../../store/sqlite/schema.ts';
import { choiceFile } from '../launch/controller-programs.ts';
import { dataPaths, readSettings } from './data-dir.ts';
import { initController } from './init.ts';
import { ProgramStore } from './program-store.ts';

let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-run-'));
  dataDir = join(folder, 'data');
  await initController(
    dataDir,
    {
      name: 'one',
      adminUser: 'admin',
      adminPassword: 'sesame',
      cloud: { name: 'local', type: 'local', region: 'default' },
      config: { 'api-port': 0 },
    },
    await loadProviders([]),
  );
});
afterAll(async () => {
  await stopDaemon({ dataDir });
  rmSync(folder, { recursive: true });
});

/** Runs a controller on the directory, by a Node with these options, until it ends. */
function runAgain(options: readonly string[] = []): Promise<{ code: number | null; stderr: string }> {
  const program = join(import.meta.dirname, '../controller.ts');
  const child = spawn(process.execPath, [...options, program, 'run', '--data-dir', dataDir], {
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

test('A controller running for 300 days serves a renewed certificate without a restart', async () => {
  const dayMs = 86_400_000;
  const clockFile = join(folder, 'clock');
  // The clock starts in the past, since TLS uses the host's own clock.
  writeFileSync(clockFile, String(-300 * dayMs));
  const program = join(import.meta.dirname, '../controller.ts');
  const preload = join(import.meta.dirname, '../../testing/moved-clock.ts');
  const child = spawn(process.execPath, ['--import', preload, program, 'run', '--data-dir', dataDir], {
    env: { ...process.env, MOVED_CLOCK: clockFile },
    stdio: 'ignore',
  });
  const childExit = new Promise((resolve) => child.on('close', resolve));
  try {
    const { apiPort, caCert } = readSettings(dataDir);
    const address = `127.0.0.1:${apiPort}`;
    const expiresAt = async (): Promise<number> =>
      new X509Certificate(await servedTo(apiPort, caCert)).validToDate.getTime();
    const before = await eventually(expiresAt);
    expect(before).toBeLessThan(Date.now() + 66 * dayMs);
    writeFileSync(clockFile, '0');
    await eventually(async () => expect(await expiresAt()).toBeGreaterThan(Date.now() + 364 * dayMs));
    const connection = await connect({
      addresses: [address],
      caCert,
      login: { tag: 'user-admin', password: 'sesame' },
    });
    await connection.close();
  } finally {
    child.kill();
    await childExit;
  }
});

/** Returns the certificate shown to a client that trusts only this authority. */
function servedTo(port: number, ca: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ port, host: '127.0.0.1', servername: 'juju-apiserver', ca }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test.each([
  ['with a slash at the end', () => ['--data-dir', `${dataDir}/`]],
  ['by a relative path', () => ['--data-dir', basename(dataDir)]],
  ['by way of its parent', () => [`--data-dir=${dataDir}/../data/.`]],
  ['by a symbolic link', () => (symlinkSync(dataDir, `${dataDir}-link`), ['--data-dir', `${dataDir}-link`])],
])('A controller that was started %s is identified by its pid, and stopped', async (_how, args) => {
  const program = join(import.meta.dirname, '../controller.ts');
  const child = spawn(process.execPath, [program, 'run', ...args()], { cwd: folder, stdio: 'ignore' });
  try {
    await eventually(() => expect(existsSync(dataPaths(dataDir).ready)).toBe(true));
    expect(await daemonPid(dataDir)).toBe(child.pid);
    // The controller must be recognized without its pid file, too.
    rmSync(dataPaths(dataDir).pid);
    await stopDaemon({ dataDir });
    await eventually(() => expect(child.exitCode).toBe(0));
  } finally {
    child.kill('SIGKILL');
  }
});

test('A second controller on a live directory is refused, and leaves the files of the first unchanged', async () => {
  const { pid } = await startDaemon({ dataDir });
  const paths = dataPaths(dataDir);
  const before = [paths.pid, paths.ready].map((path) => readFileSync(path, 'utf8'));
  const { code, stderr } = await runAgain();
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another') });
  expect([paths.pid, paths.ready].map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  expect(await daemonPid(dataDir)).toBe(pid);
});

test('A controller whose pid file names another process is ended, and the other process is left running', async () => {
  const otherProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const { pid } = dataPaths(dataDir);
  const real = Number(readFileSync(pid, 'utf8'));
  writeFileSync(pid, String(otherProcess.pid));
  await stopDaemon({ dataDir });
  // This process, the parent of the ended one, may see the end a turn later.
  await eventually(() => expect(() => process.kill(real, 0)).toThrow('ESRCH'));
  expect(otherProcess.exitCode ?? otherProcess.signalCode).toBeNull();
  const otherExit = new Promise((resolve) => otherProcess.on('close', resolve));
  otherProcess.kill();
  await otherExit;
});

test('One process makes a controller and runs it; a controller that cannot be made ends with the reason', async () => {
  const newDir = join(folder, 'new');
  const config: InitConfig = {
    name: 'two',
    adminUser: 'admin',
    adminPassword: 'sesame',
    cloud: { name: 'local', type: 'local', region: 'default' },
    config: { 'api-port': 0 },
  };
  try {
    const wrong = { ...config, cloud: { ...config.cloud, type: 'balloons' } };
    const refused = await startNewDaemon({ dataDir: newDir }, wrong);
    await expect(refused.made).rejects.toThrow(/^cloud type "balloons" not supported/);
    expect(await daemonPid(newDir)).toBeUndefined();

    const daemon = await startNewDaemon({ dataDir: newDir }, config);
    const { uuid, addresses } = await daemon.made;
    await daemon.serves();
    expect(readSettings(newDir).uuid).toBe(uuid);
    const { apiPort } = readSettings(newDir);
    expect(addresses.every((address) => address.endsWith(`:${apiPort}`))).toBe(true);
    await expect((await startNewDaemon({ dataDir: newDir }, config)).made).rejects.toThrow(
      `directory ${newDir} already contains a controller`,
    );

    const stopped = AbortSignal.abort(new Error('stopped'));
    const cut = await startNewDaemon({ dataDir: join(folder, 'cut'), signal: stopped }, config);
    await expect(cut.made).rejects.toThrow('stopped');
    expect(await daemonPid(join(folder, 'cut'))).toBeUndefined();
  } finally {
    await stopDaemon({ dataDir: newDir });
  }
});

test('A controller whose start fails after its workers began ends with the reason', async () => {
  await stopDaemon({ dataDir });
  const failsLast = `import v8 from 'node:v8';
    import { syncBuiltinESMExports } from 'node:module';
    v8.setFlagsFromString = () => { throw new Error('no flags today'); };
    syncBuiltinESMExports();`;
  const { code, stderr } = await runAgain([
    '--import',
    `data:text/javascript,${encodeURIComponent(failsLast)}`,
  ]);
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ERROR no flags today'),
  });
});

test('A start that fails before it counts for the program that is tried is not repeated', async () => {
  const nothing = join(folder, 'nothing');
  mkdirSync(join(nothing, 'programs'), { recursive: true });
  const choice = { current: 'a'.repeat(64), trying: { build: 'b'.repeat(64), attempt: 0, starts: 0 } };
  writeFileSync(choiceFile(nothing), JSON.stringify(choice));
  await expect(startDaemon({ dataDir: nothing })).rejects.toThrow('the controller did not start');
});

test('A controller that is asked to end while it takes another program ends, and does not become that', async () => {
  const paths = dataPaths(dataDir);
  const [elsewhere, launcher, became] = ['elsewhere', 'launcher.mjs', 'became'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(launcher, `import { writeFileSync } from 'node:fs'; writeFileSync('${became}', '');`);
  mkdirSync(elsewhere);
  const says = `#!/bin/sh\necho '{"format": ${schema.length}}'\n`;
  for (const name of programFileNames) writeFileSync(join(elsewhere, name), name === 'node' ? says : name);
  const programs = programFileNames.map((name) => join(elsewhere, name));
  const files = await new ProgramStore(dataDir, elsewhere).keep(programs);
  const launched = JSON.stringify({ launcher, build: 'a'.repeat(64), isTrial: false });
  const preload = `globalThis[Symbol.for('grigri.controller-launched')] = ${launched};`;
  const program = join(import.meta.dirname, '../controller.ts');
  const imported = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, [...imported, program, 'run', '--data-dir', dataDir], {
    stdio: 'ignore',
  });
  const childExit = new Promise((resolve) => child.on('close', resolve));
  try {
    await eventually(() => expect(existsSync(paths.ready)).toBe(true));
    const { apiPort, caCert } = readSettings(dataDir);
    const login = { tag: 'user-admin', password: 'sesame' };
    const connection = await connect({ addresses: [`127.0.0.1:${apiPort}`], caCert, login });
    await connection.call('ControllerPrograms', 'Upgrade', { files });
    child.kill();
    expect(await childExit).toBe(0);
    expect([became, paths.pid].filter((path) => existsSync(path))).toEqual([]);
    await connection.close();
  } finally {
    child.kill('SIGKILL');
    rmSync(join(dataDir, 'programs'), { recursive: true });
  }
});

test('A truncated controller.json is reported by name, and not taken for a missing controller', () => {
  const { settings } = dataPaths(dataDir);
  const original = readFileSync(settings, 'utf8');
  truncateSync(settings, original.length - 20);
  expect(() => readSettings(dataDir)).toThrow(`${settings} is damaged`);
  writeFileSync(settings, '{"uuid":"x"}');
  expect(() => readSettings(dataDir)).toThrow(/apiPort, caCert, .* missing/);
  writeFileSync(settings, original);
  expect(readSettings(dataDir).name).toBe('one');
  expect(() => readSettings(join(folder, 'nowhere'))).toThrow('no controller in');
});

test('A controller that is made ends when the process that started it is gone before it is told to run', async () => {
  const newDir = join(folder, 'alone');
  const program = join(import.meta.dirname, '../controller.ts');
  const child = spawn(process.execPath, [program, 'run', '--init', '--data-dir', newDir], { stdio: 'pipe' });
  child.stdin.end(
    `${JSON.stringify({
      name: 'three',
      adminUser: 'admin',
      adminPassword: 'sesame',
      cloud: { name: 'local', type: 'local', region: 'default' },
      config: { 'api-port': 0 },
    } satisfies InitConfig)}\n`,
  );
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(existsSync(dataPaths(newDir).settings)).toBe(true);
  expect(existsSync(dataPaths(newDir).ready)).toBe(false);
});
