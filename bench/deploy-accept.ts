/**
 * `node bench/deploy-accept.ts [--n 10000]`: deploy -n N over the API, answered when durable, against a raw bulk insert
 * of the same rows (goal ≤ 2; ≤ 3 below 10,000 units, where what each request costs weighs more). The cloud starts no
 * machine: other benchmarks measure provisioning. Exits 1 when the goal is missed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { benchCloud, benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, report } from './floor.ts';

const { values } = parseArgs({
  options: { n: { type: 'string', default: '10000' }, pairs: { type: 'string', default: '5' } },
});
const units = Number(values.n);

await using controller = await benchController(
  benchCloud({
    latencyMs: (operation) => (operation.startsWith('start') ? 3_600_000 : 0),
  }),
);
const model = await controller.addModel('bench');
const charm = await putCharm(controller, model);
const connection = await controller.connect(model);
let made = 0;

const product = async (): Promise<number> => {
  const application = `app${made++}`;
  const start = performance.now();
  await deploy(connection, { application, charm, units });
  return performance.now() - start;
};

/** Inserts the rows of the last deploy into a bare table in one durable transaction. */
const floor = (): number => {
  const view = controller.running().store.read().in(model);
  const application = `app${made - 1}`;
  const rows = [...view.find('unit', 'application', application)].flatMap((unit) => [
    [`unit ${unit.name}`, JSON.stringify(unit)],
    [`machine ${unit.machine}`, JSON.stringify(view.get('machine', unit.machine ?? ''))],
  ]);
  const path = join(controller.dataDir, 'floor.db');
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID',
  );
  const insert = db.prepare('INSERT INTO doc VALUES (?, ?)');
  const start = performance.now();
  db.exec('BEGIN');
  for (const [key, value] of rows) insert.run(key!, value!);
  db.exec('COMMIT');
  const ms = performance.now() - start;
  db.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  return ms;
};

await product();
const verdict = report(`deploy-accept -n ${units}`, await pairs(floor, product, Number(values.pairs)), {
  atMost: units < 10_000 ? 3 : 2,
});
await connection.close();
process.exitCode = exitCode([verdict]);
