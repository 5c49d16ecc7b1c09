/**
 * Compares a backup of a running controller with a copy of the same bytes: `node bench/backup.ts [--quick]`. The copy
 * is of both databases and all files beside the store; either is on the disk when it ends, and begins with files that
 * are not in memory. The backup is also packed, and read back and checked by SQLite.
 */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { recipientOfKey } from '../src/kit/sealed/recipient.ts';
import { testController, type TestController } from '../src/testing/controller.ts';
import { createSimulatedProvider } from '../src/providers/clouds/simulated/index.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';

const quick = process.argv.includes('--quick');
const documents = quick ? 5_000 : 60_000;
const filesMiB = quick ? 8 : 64;
const rounds = quick ? 3 : 7;
const MiB = 1024 * 1024;

const controller = await testController(createSimulatedProvider());
try {
  await fill(controller);
  process.exitCode = exitCode(await measure(controller));
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
    for (let n = 0; n < filesMiB / 4; n++) await services.blobs.put(randomBytes(4 * MiB));
    // Nothing refers to the charms: they stay while they are kept.
    void services.blobs.keep(() => new Promise(() => undefined));
  });
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

async function measure(one: TestController): Promise<Verdict[]> {
  const { services } = one.running();
  const { dataDir } = one;
  // What is still in the logs of the databases goes into their files.
  rmSync((await services.backups!.create({ notes: '' })).path);
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
    const recipient = isSealed ? { recipient: recipientOfKey(publicKey) } : {};
    const { path } = await services.backups!.create({ notes: '', ...recipient });
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
