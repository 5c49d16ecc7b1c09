/**
 * Compares a backup of a running controller with a copy of the same bytes: `node bench/backup.ts [--quick]`, of the
 * program that `npm run build` has made. The copy is of both databases and all files beside the store; either is on the
 * disk when it ends, and begins with files that are not in memory. The backup is also packed, and read back and checked
 * by SQLite.
 */
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '../src/client/connect.ts';
import type { Connection } from '../src/client/connection.ts';
import { defined } from '../src/core/defined.ts';
import { recipientOfKey, type Recipient } from '../src/kit/sealed/recipient.ts';
import { testController, type TestController } from '../src/testing/controller.ts';
import { createSimulatedProvider } from '../src/providers/clouds/simulated/index.ts';
import { putCharm } from './controller.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';

const quick = process.argv.includes('--quick');
const documents = quick ? 5_000 : 60_000;
const filesMiB = quick ? 8 : 64;
const rounds = quick ? 3 : 7;
const MiB = 1024 * 1024;

const controller = await testController(createSimulatedProvider());
try {
  await fill(controller);
  let verdicts: readonly Verdict[] = [];
  await controller.restart(async () => (verdicts = await served(controller, measure)));
  process.exitCode = exitCode(verdicts);
} finally {
  await controller[Symbol.asyncDispose]();
}

/** Stores states of units of about 800 bytes, and charms that are compressed already. */
async function fill(one: TestController): Promise<void> {
  const uuid = await one.addModel('bench');
  const { store, services } = one.running();
  for (let from = 0; from < documents; from += 1000)
    await store.change((root) => {
      const tx = root.in(uuid);
      for (let n = from; n < Math.min(documents, from + 1000); n++) {
        const unit = `app${n % 100}/${n}`;
        tx.put('unit-state', unit, { unit, lastHook: randomUUID(), agent: stateOf(n), charm: {} });
      }
    }, 'bench');
  await services.blobs.keep(async () => {
    for (let n = 0; n < filesMiB / 4; n++)
      await putCharm(one, uuid, {
        name: `bench${n}`,
        archive: await services.blobs.put(randomBytes(4 * MiB)),
      });
  });
}

/** Serves the controller's files by the built program while `fn` runs. */
async function served<T>(
  one: TestController,
  fn: (connection: Connection, dataDir: string) => Promise<T>,
): Promise<T> {
  const { dataDir } = one;
  const program = join(import.meta.dirname, '../dist/controller.mjs');
  const child = spawn(process.execPath, [program, 'run', '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    // A start copies the program, which would take the disk's time during the first measurements.
    const lines = createInterface({ input: child.stderr });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        if (line.includes('the program is kept')) resolve();
      });
      ended.then(() => reject(new Error('the controller ended: run `npm run build` first')), reject);
    });
    const { addresses } = JSON.parse(readFileSync(join(dataDir, 'ready'), 'utf8')) as { addresses: string[] };
    const connection = await connect({ ...one.connectOptions(one.controllerModel), addresses });
    const result = await fn(connection, dataDir);
    await connection.close();
    return result;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function stateOf(n: number): unknown {
  const members = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`db${i}/${n + i}`, n * 7 + i]));
  return {
    installed: true,
    started: true,
    charmUrl: `ch:amd64/noble/app${n % 100}-${n % 17}`,
    configHash: randomBytes(32).toString('hex'),
    bootId: randomUUID(),
    op: { kind: 'continue' },
    relations: { [n % 1000]: { endpoint: 'db', created: true, members, apps: { db: n }, broken: false } },
    storage: [`data/${n}`],
    committed: n % 50,
  };
}

async function measure(connection: Connection, dataDir: string): Promise<Verdict[]> {
  const create = async (recipient?: Recipient): Promise<string> => {
    const params = { notes: '', 'no-download': true, ...defined({ recipient }) };
    return (await connection.call<{ filename: string }>('Backups', 'Create', params)).filename;
  };
  // What is still in the logs of the databases goes into their files.
  rmSync(await create());
  const files = ['store.db', 'secrets.db'].map((name) => join(dataDir, name));
  for (const folder of readdirSync(join(dataDir, 'blobs')))
    for (const name of readdirSync(join(dataDir, 'blobs', folder)))
      files.push(join(dataDir, 'blobs', folder, name));
  const to = join(dataDir, 'copy');
  const copy = (): number => {
    forget(files);
    mkdirSync(to);
    const started = performance.now();
    // In another process, since the end of any use of the databases by this one would drop their locks.
    execFileSync('cp', ['--reflink=never', '-t', to, ...files]);
    execFileSync('sync', [...files.map((file) => join(to, basename(file))), to]);
    const ms = performance.now() - started;
    rmSync(to, { recursive: true });
    return ms;
  };
  const { publicKey } = generateKeyPairSync('x25519', {
    publicKeyEncoding: { format: 'pem', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  });
  const backup = (isSealed: boolean) => async (): Promise<number> => {
    forget(files);
    const started = performance.now();
    const path = await create(isSealed ? recipientOfKey(publicKey) : undefined);
    const ms = performance.now() - started;
    rmSync(path);
    return ms;
  };
  const mib = files.reduce((sum, file) => sum + statSync(file).size, 0) / MiB;
  const name = `backup of ${Math.round(mib)} MiB / a copy on the disk`;
  return [
    report(name, await pairs(copy, backup(false), rounds), { atMost: 1.5 }),
    report(`${name}, sealed`, await pairs(copy, backup(true), rounds), { atMost: 1.5 }),
  ];
}

/** Drops files from the memory of the system. */
function forget(files: readonly string[]): void {
  execFileSync('sync', [...files]);
  for (const file of files) execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
}
