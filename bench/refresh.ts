/**
 * `node bench/refresh.ts [--n 1000]`: refreshes of an application with N units over the API, plain and rolling,
 * answered when durable, against one durable UPDATE of a bare table (goal ≤ 3 each): of the application's row alone,
 * by itself and for a client of a minimal server, and of the rows of its units, which is what a plain database would
 * do. No unit follows: the cloud starts no machine. Exits 1 when a goal is missed.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { call } from '../src/client/calls.ts';
import { openSocket, pinnedContext } from '../src/client/connect.ts';
import { bareServer, bareTls } from './bare-server.ts';
import { benchCloud, benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';

const { values } = parseArgs({
  options: { n: { type: 'string', default: '1000' }, pairs: { type: 'string', default: '21' } },
});
const units = Number(values.n);
/** Refreshes of one measurement, so that one slow write to the disk decides nothing. */
const repeats = 20;

await using controller = await benchController(
  benchCloud({ latencyMs: (operation) => (operation.startsWith('start') ? 3_600_000 : 0) }),
);
const model = await controller.addModel('bench');
const charm = await putCharm(controller, model);
const { store } = controller.running();
// Each refresh has a revision of its own, which no unit takes.
const revisions = 6 * repeats * (Number(values.pairs) + 1);
const revisionOf = (n: number): string => charm.replace(/-0$/, `-${n}`);
await store.change((root) => {
  const tx = root.in(model);
  const doc = tx.get('charm', charm)!;
  for (let n = 1; n <= revisions; n++)
    tx.put('charm', revisionOf(n), { ...doc, url: revisionOf(n), revision: n });
}, 'bench');
const connection = await controller.connect(model);
const application = 'app';
await deploy(connection, { application, charm, units });

const path = join(controller.dataDir, 'floor.db');
const db = new DatabaseSync(path);
db.exec(
  'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID',
);
const row = JSON.stringify(store.read().in(model).get('application', application));
db.prepare('INSERT INTO doc VALUES (?, ?)').run(application, row);
for (let n = 0; n < units; n++) db.prepare('INSERT INTO doc VALUES (?, ?)').run(`${application}/${n}`, row);
const floorOf = (where: string): (() => number) => {
  const update = db.prepare(`UPDATE doc SET v = ? WHERE k ${where}`);
  return () => {
    const start = performance.now();
    // Each statement is a durable transaction of its own.
    for (let n = 0; n < repeats; n++) update.run(`${row.slice(0, -1)},"n":${n}}`, application);
    return performance.now() - start;
  };
};
const tls = await bareTls(controller.dataDir);
const server = await bareServer(controller.dataDir, tls);
const socket = await openSocket(`wss://${server.address}/`, { secureContext: pinnedContext(tls.caCert) });
socket.resume();
/** Asks the minimal server for as many durable writes. */
async function byServer(): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < repeats; n++) {
    const answered = once(socket, 'message');
    socket.send(JSON.stringify({ 'request-id': n, request: 'Write', params: params(charm) }));
    await answered;
  }
  return performance.now() - start;
}
const floors = [
  ['one row', floorOf('= ?')],
  ['one row of a minimal server', byServer],
  [`${units} rows`, floorOf("GLOB ? || '/*'")],
] as const;

let revision = 0;
/** Measures the time of the refreshes alone. */
async function timed(
  refresh: (charmUrl: string) => Promise<unknown>,
  after?: () => Promise<unknown>,
): Promise<number> {
  let ms = 0;
  for (let n = 0; n < repeats; n++) {
    const start = performance.now();
    await refresh(revisionOf(++revision));
    ms += performance.now() - start;
    await after?.();
  }
  return ms;
}

const params = (charmUrl: string) => ({
  application,
  generation: 'master',
  'charm-url': charmUrl,
  channel: '',
  force: false,
  'force-units': false,
  'force-base': false,
});
const rolling = { 'max-unavailable': '', 'wait-for': '', 'pause-after-canary': false };
const plain = (): Promise<number> => timed((url) => call(connection, 'Application', 'SetCharm', params(url)));
const inBatches = (): Promise<number> =>
  timed(
    (url) => call(connection, 'Rollouts', 'Begin', { ...params(url), ...rolling }),
    () => call(connection, 'Rollouts', 'Abort', { application }),
  );

const verdicts: Verdict[] = [];
for (const [name, product] of [
  ['refresh', plain],
  ['refresh --rolling', inBatches],
] as const) {
  for (const [rows, floor] of floors) {
    const found = await pairs(floor, product, Number(values.pairs));
    verdicts.push(report(`${name}, ${units} units, against ${rows}`, found, { atMost: 3 }));
  }
}
db.close();
socket.terminate();
server.stop();
await connection.close();
process.exitCode = exitCode(verdicts);
