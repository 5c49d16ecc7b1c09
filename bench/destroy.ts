/**
 * `node bench/destroy.ts [--n 100000] [--pairs 3]`: removes an application of N units, on request of another thread
 * over the API. First with units that no agent runs: the request, answered when durable, against one raw UPDATE of as
 * many rows (goal ≤ 3); then, until everything is gone, the longest turn of the controller's event loop (goal ≤ 50 ms),
 * and the time against that for N/10 units (goal ≤ 12: no quadratic growth). Then the same two measurements with units
 * that are deployed and in a relation's scope, each removed by three changes of its own agent.
 *
 * Turns and growth are judged by the processor time of the controller's thread, since other work of the machine
 * prolongs both; the wall times are printed beside. Exits 1 when a goal is missed.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { connect } from '../src/client/connect.ts';
import type { ConnectOptions } from '../src/client/connection.ts';
import { endByAgents, takeUp } from './agents-end.ts';
import { benchCloud, benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, quartiles, report, show, type Verdict } from './floor.ts';
import { settled, watchTurns, type Turns } from './turn-meter.ts';

const turnMsMax = 50;
/** Default of num-provision-workers. */
const startsAtOnce = 16;

interface Run extends Turns {
  /** Time until only machines with a running start are left. */
  readonly ms: number;
  /** Time until the request was answered. */
  readonly acceptMs: number;
}

if (isMainThread) await main();
else await client(workerData as ConnectOptions);

/** Runs in the other thread: sends the requests that it receives, and reports how long each answer took. */
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

  // Machines start one by one: groups would have unpredictable sizes.
  await using controller = await benchController(
    benchCloud({ latencyMs: (operation) => (operation.startsWith('start') ? 3_600_000 : 0) }),
    () => false,
  );
  const model = await controller.addModel('bench');
  const connection = await controller.connect(model);
  const charms = {
    alone: await putCharm(controller, model),
    related: await putCharm(controller, model, { peers: true }),
  };
  const worker = new Worker(new URL(import.meta.url), { workerData: controller.connectOptions(model) });
  const heard = async (): Promise<unknown> => ((await once(worker, 'message')) as unknown[])[0];
  await heard();
  const view = () => controller.running().store.read().in(model);
  let made = 0;

  async function destroy(form: keyof typeof charms, units: number): Promise<Run> {
    const application = `app${made++}`;
    await deploy(connection, { application, charm: charms[form], units });
    const taken = form === 'related' ? await takeUp(controller, model, application) : undefined;
    await settled();
    const before = view().count('machine') - units;
    const turns = watchTurns();
    const start = performance.now();
    worker.postMessage(application);
    const acceptMs = await heard();
    if (typeof acceptMs !== 'number') throw new Error(String(acceptMs));
    if (taken) await endByAgents(controller, model, taken);
    while (view().get('application', application) || view().count('machine') > before + startsAtOnce)
      await sleep(5);
    const ms = performance.now() - start;
    return { ms, acceptMs, ...turns.stop() };
  }

  /** Updates as many rows by one statement in one durable transaction. */
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

  /**
   * Compares the runs. The first pair is a warm-up; after it the store's history has its maximum length in both sizes.
   */
  async function compare(form: keyof typeof charms): Promise<Verdict[]> {
    const what = form === 'alone' ? `${many} units` : `${many} deployed and related units`;
    const floors: number[] = [];
    const runs: { few: Run; many: Run }[] = [];
    const growth = await pairs(
      async () => {
        const run = await destroy(form, few);
        runs.push({ few: run, many: run });
        return run.totalCpuMs;
      },
      async () => {
        floors.push(floor());
        const run = await destroy(form, many);
        runs.at(-1)!.many = run;
        return run.totalCpuMs;
      },
      rounds,
    );
    const counted = runs.slice(1);
    const verdicts = [
      report(`destroy ${what} until gone, against ${few}`, growth, { atMost: 12 }),
      report(
        `longest turn while ${what} go, against ${turnMsMax} ms`,
        await replay(
          counted.map(() => turnMsMax),
          counted.map((run) => run.many.cpuMs),
        ),
        { atMost: 1 },
      ),
    ];
    const wall = (of: (run: { few: Run; many: Run }) => number): string => show(quartiles(counted.map(of)));
    console.log(
      `  by the wall: ${wall((run) => run.many.ms)} ms, ${wall((run) => run.many.ms / run.few.ms)} times ${few};` +
        ` longest turn ${wall((run) => run.many.wallMs)} ms`,
    );
    if (form === 'related') return verdicts;
    const accept = await replay(
      floors.slice(1),
      counted.map((run) => run.many.acceptMs),
    );
    return [report(`destroy ${what}, accepted`, accept, { atMost: 3 }), ...verdicts];
  }

  // The units deployed here stay: one per application, which provides its row and its charm.
  for (const form of ['alone', 'related'] as const)
    await deploy(connection, { application: `stays-${form}`, charm: charms[form], units: 1 });
  const verdicts = [...(await compare('alone')), ...(await compare('related'))];
  await worker.terminate();
  await connection.close();
  process.exitCode = exitCode(verdicts);
}

/** Compares earlier measurements, pair by pair. */
function replay(floors: readonly number[], products: readonly number[]): ReturnType<typeof pairs> {
  let floor = 0;
  let product = 0;
  // The first pair is a warm-up.
  return pairs(
    () => floors[Math.max(0, floor++ - 1)] ?? NaN,
    () => products[Math.max(0, product++ - 1)] ?? NaN,
    floors.length,
  );
}
