/**
 * `node bench/provision.ts [--n 10000] [--pairs 3] [--rounds 20]`: provisioning on the simulated cloud through the real
 * controller, from the record of a machine to its instance. Measures the time per machine against raw commits of the
 * rows that it writes, 64 machines in each (goal ≤ 20), and the longest turn of the event loop meanwhile, excluding the
 * deploy. Then, with one second per cloud request, measures the total time against the minimum for the permitted
 * concurrency, for N machines with a high limit and few with the default, in groups and one by one (goal ≤ 1.2). Last,
 * measures the processor time of machines added to N others of their distribution group against that of machines added
 * to ten (goal ≤ 1.5: choosing a zone costs the same). Exits 1 when a goal is missed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { statusId } from '../src/core/status.ts';
import { benchCloud, benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';
import { settled, watchTurns } from './turn-meter.ts';

const zones = ['zone1', 'zone2', 'zone3'];
const secondMs = 1000;
const turnMsMax = 50;
/** Default of num-provision-workers. */
const defaultParallel = 16;
/** Maximum of num-provision-workers. */
const parallelMax = 100;
/** Number of machines whose rows the floor commits at once. */
const groupSize = 64;

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '10000' },
    pairs: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '20' },
  },
});
const many = Number(values.n);
/** Number of rounds of starts that take a second each. */
const rounds = Number(values.rounds);
const added = Math.max(50, Math.round(many / 20));
let latencyMs = 0;
let hasGroups = true;
let models = 0;

await using controller = await benchController(
  benchCloud({ zones, latencyMs: () => latencyMs }),
  () => hasGroups,
);
const view = (model: string) => controller.running().store.read().in(model);

const verdicts: Verdict[] = [];
let last = await newModel();
await provision(last, many);
verdicts.push(
  report(
    `provision ${many} machines, against raw commits of their rows`,
    await pairs(
      () => floor(last),
      async () => {
        last = await newModel();
        return provision(last, many);
      },
      Number(values.pairs),
    ),
    { atMost: 20 },
  ),
);
console.log(`  ${spreadOf(last)}`);
verdicts.push(await longestTurn());
verdicts.push(await growth(last), await withLatency(rounds * defaultParallel, defaultParallel));
verdicts.push(await withLatency(many, parallelMax));
hasGroups = false;
verdicts.push(await withLatency(rounds * defaultParallel, defaultParallel));
process.exitCode = exitCode(verdicts);

interface Model {
  readonly uuid: string;
  readonly charm: string;
}

async function newModel(config: Record<string, unknown> = {}): Promise<Model> {
  const uuid = await controller.addModel(`bench${models++}`, config);
  return { uuid, charm: await putCharm(controller, uuid) };
}

/** Returns the wall time in ms from the request until each machine of an application has its instance on record. */
async function provision({ uuid, charm }: Model, units: number): Promise<number> {
  await settled();
  const connection = await controller.connect(uuid);
  const start = performance.now();
  await deploy(connection, { application: 'app', charm, units });
  await allStarted(uuid, units);
  const ms = performance.now() - start;
  await connection.close();
  return ms;
}

async function allStarted(uuid: string, machines: number): Promise<void> {
  const isDone = (): boolean =>
    view(uuid).count('machine') === machines &&
    view(uuid).count('machine', 'unprovisioned', 'unprovisioned') === 0;
  while (!isDone()) await sleep(5);
}

/**
 * Returns the wall time in ms of committing the rows of starts to a bare table: the intent of each machine, then the
 * result.
 */
function floor({ uuid }: Model): number {
  const machines = [...view(uuid).list('machine')];
  const row = (kind: string, id: string, doc: unknown): readonly [string, string] => [
    `${kind} ${id}`,
    JSON.stringify(doc),
  ];
  const instanceRow = (id: string): readonly [string, string] =>
    row('status', statusId('instance', id), view(uuid).get('status', statusId('instance', id)));
  const intents = machines.map((machine) => [row('machine', machine.id, machine), instanceRow(machine.id)]);
  const ends = machines.map((machine) => [
    row('machine', machine.id, machine),
    instanceRow(machine.id),
    row('status', statusId('modification', machine.id), { status: 'applied', since: '', message: '' }),
  ]);
  const path = join(controller.dataDir, 'floor.db');
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID',
  );
  const put = db.prepare('INSERT OR REPLACE INTO doc VALUES (?, ?)');
  const start = performance.now();
  for (let from = 0; from < machines.length; from += groupSize)
    for (const stage of [intents, ends]) {
      db.exec('BEGIN');
      for (const rows of stage.slice(from, from + groupSize))
        for (const [key, doc] of rows) put.run(key, doc);
      db.exec('COMMIT');
    }
  const ms = performance.now() - start;
  db.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  return ms;
}

/** Compares the processor time per machine of the controller's thread. */
async function growth({ uuid, charm }: Model): Promise<Verdict> {
  let there = many;
  const add = async (model: string, before: number): Promise<number> => {
    await settled();
    const connection = await controller.connect(model);
    const start = process.threadCpuUsage();
    await connection.call('Application', 'AddUnits', {
      application: 'app',
      'num-units': added,
      placement: [],
    });
    await allStarted(model, before + added);
    const { user, system } = process.threadCpuUsage(start);
    await connection.close();
    return (user + system) / added;
  };
  const comparison = await pairs(
    async () => {
      const small = await newModel();
      await provision({ uuid: small.uuid, charm }, 10);
      return add(small.uuid, 10);
    },
    async () => {
      const ms = await add(uuid, there);
      there += added;
      return ms;
    },
    Math.max(5, Number(values.pairs)),
  );
  return report(
    `a machine beside ${many} of its group, against beside 10`,
    comparison,
    { atMost: 1.5 },
    'µs',
  );
}

/** Measures turns from the answer to the deploy until the instances have been polled once. */
async function longestTurn(): Promise<Verdict> {
  const { uuid, charm } = await newModel();
  await settled();
  const connection = await controller.connect(uuid);
  await deploy(connection, { application: 'app', charm, units: many });
  const turns = watchTurns();
  await allStarted(uuid, many);
  await sleep(5 * secondMs);
  const { cpuMs, wallMs } = turns.stop();
  await connection.close();
  const verdict = report(
    `longest turn while ${many} machines are provisioned, against ${turnMsMax} ms`,
    await pairs(
      () => turnMsMax,
      () => cpuMs,
      1,
    ),
    { atMost: 1 },
  );
  console.log(`  ${wallMs.toFixed(0)} ms by the wall`);
  return verdict;
}

async function withLatency(machines: number, parallel: number): Promise<Verdict> {
  const model = await newModel({ 'num-provision-workers': parallel });
  latencyMs = secondMs;
  const ms = await provision(model, machines);
  latencyMs = 0;
  const least = Math.ceil(machines / parallel) * secondMs;
  return report(
    `${machines} machines, ${parallel} at once, a second for each request${hasGroups ? '' : ' of one machine'}`,
    await pairs(
      () => least,
      () => ms,
      1,
    ),
    { atMost: 1.2 },
  );
}

function spreadOf({ uuid }: Model): string {
  const counts = zones.map(
    (zone) => [...view(uuid).list('machine')].filter((one) => one.zone === zone).length,
  );
  return `${counts.join(', ')} machines in ${zones.join(', ')}`;
}
