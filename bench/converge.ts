/**
 * `node bench/converge.ts [--n 1000] [--small 250] [--pairs 5] [--quick]`: time from deploy -n N until every unit is
 * active and idle, with simulated machine agents in a process of their own over real TLS. The server's processor time
 * per unit is judged: against a bare server that receives as many requests and makes as many durable writes, and
 * against itself with fewer units (no quadratic growth).
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { Entities } from '../src/core/kinds.ts';
import type { Store } from '../src/store/store.ts';
import { bareServer, bareTls } from './bare-server.ts';
import { benchCloud, benchController, deploy, putCharm } from './controller.ts';
import { exitCode, pairs, quartiles, report } from './floor.ts';
import type { LoadAnswer, LoadRequest } from './load.ts';

const { values } = parseArgs({
  options: {
    n: { type: 'string' },
    small: { type: 'string' },
    pairs: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const units = Number(values.n ?? (values.quick ? 200 : 1000));
const few = Number(values.small ?? (values.quick ? 50 : 250));
const rounds = Number(values.pairs ?? (values.quick ? 3 : 5));

interface Run {
  readonly units: number;
  readonly seconds: number;
  /** Processor time of this process per unit, in ms. */
  readonly cpuPerUnit: number;
  /** Requests and durable writes per unit. */
  readonly callsPerUnit: number;
  readonly writesPerUnit: number;
  /** Share of one processor used by the load generator. */
  readonly loadShare: number;
  /** Growth of this process in bytes. */
  readonly grown: number;
}
const runs: Run[] = [];
let last: Run | undefined;
let tls: { certificate: string; key: string; caCert: string };

const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  tls = await controllersTls();
  last = await converge(few);
  const comparison = await pairs(floor, async () => (last = await converge(units)).cpuPerUnit, rounds);
  const verdicts = [
    report(`converge ${units} units: server CPU per unit / bare server`, comparison, { atMost: 3 }),
  ];
  describe(units);
  const cpuOf = async (count: number): Promise<number> => (await converge(count)).cpuPerUnit;
  verdicts.push(
    report(
      `converge: CPU per unit of ${units} / of ${few}`,
      await pairs(
        () => cpuOf(few),
        () => cpuOf(units),
        Math.max(3, Math.floor(rounds / 2)),
      ),
      { atMost: 1.3 },
    ),
  );
  return exitCode(verdicts);
}

function describe(count: number): void {
  const of = (value: (run: Run) => number): string => {
    const own = runs.filter((run) => run.units === count).map(value);
    return String(Number(quartiles(own).median.toPrecision(3)));
  };
  console.log(
    `  ${of((run) => count / run.seconds)} units/s; ${of((run) => run.callsPerUnit)} requests and ` +
      `${of((run) => run.writesPerUnit)} documents written per unit; load generator ` +
      `${of((run) => 100 * run.loadShare)}% of a processor (from 90% on, units/s is its figure); RSS ${of((run) => run.grown / 1e6)} MB more`,
  );
}

/** Runs the product once: a controller that is deployed to and then discarded. */
async function converge(count: number): Promise<Run> {
  const load = await startLoad();
  try {
    await using controller = await benchController(
      benchCloud({
        onStart: ({ params }) =>
          tell(load, {
            kind: 'agent',
            machineId: params.machineId,
            conf: params.agent.agentConf,
            address: controller.address,
          }),
      }),
    );
    const model = await controller.addModel('bench');
    const charm = await putCharm(controller, model);
    const connection = await controller.connect(model);
    const { settled, writes } = convergence(controller.running().store, count);
    const before = await usage(load);
    globalThis.gc?.();
    const rss = process.memoryUsage.rss();
    const cpu = process.cpuUsage();
    const start = performance.now();
    await deploy(connection, { application: 'app', charm, units: count });
    await settled;
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const after = await usage(load);
    const run: Run = {
      units: count,
      seconds,
      cpuPerUnit: (user + system) / 1000 / count,
      callsPerUnit: (after.calls - before.calls) / count,
      writesPerUnit: writes() / count,
      loadShare: (after.cpuMs - before.cpuMs) / 1000 / seconds,
      grown: process.memoryUsage.rss() - rss,
    };
    runs.push(run);
    // The agents end first: a controller that stops waits for them.
    await end(load);
    await connection.close();
    return run;
  } finally {
    await end(load);
  }
}

/** Resolves when all units are active and idle. Commits are observed directly, as polling would burden the server. */
function convergence(
  store: Store<Entities>,
  count: number,
): { settled: Promise<void>; writes: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const idle = new Set<string>();
  const active = new Set<string>();
  const mark = (set: Set<string>, entity: string, is: boolean): void =>
    void (is ? set.add(entity) : set.delete(entity));
  let writes = 0;
  const stop = store.watch(({ changes }) => {
    writes += changes.length;
    for (const { kind, after } of changes) {
      if (kind !== 'status' || !after) continue;
      const { kind: of, entity, status } = after as { kind: string; entity: string; status: string };
      if (of === 'unit-agent') mark(idle, entity, status === 'idle');
      if (of === 'workload') mark(active, entity, status === 'active');
    }
    if (idle.size < count || active.size < count) return;
    stop();
    resolve();
  });
  return { settled: promise, writes: () => writes };
}

/** Runs the floor: as many requests and durable writes as the last run of the product made. */
async function floor(): Promise<number> {
  const { callsPerUnit, writesPerUnit } = last!;
  const load = await startLoad();
  const run = mkdtempSync(join(folder, 'run-'));
  const server = await bareServer(run, tls);
  try {
    const calls = Math.round(callsPerUnit);
    const cpu = process.cpuUsage();
    server.insert(2 * units);
    await ask(load, {
      kind: 'clients',
      count: units,
      address: server.address,
      caCert: tls.caCert,
      calls,
      // Two of the durable writes were made by the deploy.
      writes: Math.min(calls, Math.round(writesPerUnit) - 2),
    });
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 / units;
  } finally {
    server.stop();
    await end(load);
    rmSync(run, { recursive: true });
  }
}

async function controllersTls(): Promise<typeof tls> {
  await using controller = await benchController();
  return bareTls(controller.dataDir);
}

async function startLoad(): Promise<ChildProcess> {
  const load = fork(join(import.meta.dirname, 'load.ts'));
  await usage(load);
  return load;
}

async function end(load: ChildProcess): Promise<void> {
  if (load.exitCode !== null || load.signalCode !== null) return;
  const exit = once(load, 'exit');
  if (load.connected) load.disconnect();
  await exit;
}

function tell(load: ChildProcess, request: LoadRequest): void {
  load.send(request);
}

function usage(load: ChildProcess): Promise<LoadAnswer> {
  return ask(load, { kind: 'usage' });
}

async function ask(load: ChildProcess, request: LoadRequest): Promise<LoadAnswer> {
  const answer = once(load, 'message');
  tell(load, request);
  return ((await answer) as [LoadAnswer])[0];
}
