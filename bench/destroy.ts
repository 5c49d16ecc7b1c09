/**
 * `node bench/destroy.ts [--n 100000] [--pairs 3]`: the end of an application of N units that no agent has taken up, asked
 * for over the API by another thread. Three figures: the request, answered when durable, against one raw UPDATE of as
 * many rows (goal ≤ 3); the longest turn of the controller's event loop until all is gone (goal ≤ 50 ms); and that
 * time against the time for N/10 units (goal ≤ 12: nothing is quadratic). Exits 1 when a goal is missed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { connect } from '../src/client/connect.ts';
import type { ConnectOptions } from '../src/client/connection.ts';
import { benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, report } from './floor.ts';

const turnMsMax = 50;
/** Of the default num-provision-workers. */
const startsAtOnce = 16;

if (isMainThread) await main();
else await client(workerData as ConnectOptions);

/** The other thread: asks for what it is told, and says how long the answer took. */
async function client(options: ConnectOptions): Promise<void> {
  const connection = await connect(options);
  parentPort?.on('message', (application: string) => void destroy(application));
  parentPort?.postMessage('ready');
  async function destroy(application: string): Promise<void> {
    const start = performance.now();
    const { results } = await connection.call<{ results: { error?: { message: string } }[] }>(
      'Application',
      'DestroyApplication',
      { applications: [{ 'application-tag': `application-${application}`, force: false }] },
    );
    const error = results[0]?.error?.message;
    parentPort?.postMessage(error ?? performance.now() - start);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { n: { type: 'string', default: '100000' }, pairs: { type: 'string', default: '3' } },
  });
  const many = Number(values.n);
  const rounds = Number(values.pairs);
  const few = Math.round(many / 10);

  await using controller = await benchController({
    latencyMs: (operation) => (operation === 'start' ? 3_600_000 : 0),
  });
  const model = await controller.addModel('bench');
  const charm = await putCharm(controller, model);
  const connection = await controller.connect(model);
  const worker = new Worker(new URL(import.meta.url), { workerData: controller.connectOptions(model) });
  const heard = (): Promise<unknown> =>
    new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await heard();
  const view = () => controller.running().store.read().in(model);
  let made = 0;

  /** `ms`: until nothing of it is left but the machines whose start is under way. */
  async function destroy(units: number): Promise<{ ms: number; acceptMs: number; turnMs: number }> {
    const application = `app${made++}`;
    await deploy(connection, { application, charm, units });
    await sleep(500);
    globalThis.gc?.();
    const before = view().count('machine') - units;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    worker.postMessage(application);
    const acceptMs = await heard();
    if (typeof acceptMs !== 'number') throw new Error(String(acceptMs));
    while (view().get('application', application) || view().count('machine') > before + startsAtOnce)
      await sleep(5);
    const ms = performance.now() - start;
    delay.disable();
    return { ms, acceptMs, turnMs: delay.max / 1e6 };
  }

  /** As many rows, updated by one statement in one durable transaction. */
  function floor(): number {
    const path = join(controller.dataDir, 'floor.db');
    const db = new DatabaseSync(path);
    db.exec(
      'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID',
    );
    const insert = db.prepare('INSERT INTO doc VALUES (?, ?)');
    const unit = JSON.stringify([...view().list('unit')][0]);
    db.exec('BEGIN');
    for (let n = 0; n < many; n++) insert.run(`unit app/${n}`, unit);
    db.exec('COMMIT');
    const start = performance.now();
    db.exec(`UPDATE doc SET v = replace(v, '"alive"', '"dying"')`);
    const ms = performance.now() - start;
    db.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return ms;
  }

  // One unit stays, for its row.
  await deploy(connection, { application: 'stays', charm, units: 1 });
  const turns: number[] = [];
  const growth = await pairs(
    async () => (await destroy(few)).ms,
    async () => {
      const { ms, turnMs } = await destroy(many);
      turns.push(turnMs);
      return ms;
    },
    rounds,
  );
  const accept = await pairs(floor, async () => (await destroy(many)).acceptMs, rounds);
  turns.shift();
  const turn = await pairs(
    () => turnMsMax,
    () => turns.shift() ?? NaN,
    turns.length - 1,
  );
  const verdicts = [
    report(`destroy ${many} units, accepted`, accept, { atMost: 3 }),
    report(`destroy ${many} units until gone, against ${few}`, growth, { atMost: 12 }),
    report(`longest turn while ${many} units go, against ${turnMsMax} ms`, turn, { atMost: 1 }),
  ];
  await worker.terminate();
  await connection.close();
  process.exitCode = exitCode(verdicts);
}
