/**
 * `node --expose-gc bench/turns.ts [--n 10000] [--only Client.FullStatus] [--quick]`: calls every method of every
 * facade in every announced version, with the largest permitted arguments, on a controller with a model of N units, and
 * measures the longest turn of the controller's event loop in each call, as processor time of its thread. Exits 1 when
 * a turn was over 200 ms. The model is restored after each call that changes it.
 *
 * `--quick`: small arguments, a small model, and the newest versions only, to test that each method can be called.
 */
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { limits } from '../src/core/limits.ts';
import type { SimulatedInstance } from '../src/providers/clouds/simulated/cloud.ts';
import { benchCloud, benchController } from './controller.ts';
import { exitCode, machine, quartiles, type Result } from './floor.ts';
import { settled, watchTurns } from './turn-meter.ts';
import { cases, type Case } from './turns-arguments.ts';
import type { Answer, Order } from './turns-client.ts';
import { Crossing } from './turns-crossing.ts';
import { agentOf, createModel } from './turns-model.ts';

const turnMsMax = 200;
const shown = 30;
/** Maximum length of a printed error: errors repeat arguments, which are large here. */
const errorShownMax = 160;
/** Time limit in milliseconds for an answer. */
const answerMsMax = 60_000;
const unanswered = 'no answer';
const anonymous = { tag: 'user-jujuanonymous', password: '' };

const { values } = parseArgs({
  options: {
    n: { type: 'string' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});
const units = Number(values.n ?? (values.quick ? 100 : 10_000));
/** Time limit in milliseconds for news of a watcher: where there are none, `Next` does not return. */
const newsMsMax = values.quick ? 3_000 : answerMsMax;
const bytes = values.quick ? 5_000 : limits.request.max - 2_000;

interface Measured extends Case, Answer {
  /** Processor time in ms of the longest turn, and (`totalMs`) of all turns until the answer. */
  readonly turnMs: number;
  readonly totalMs: number;
  /** Log messages of the controller about blocking work, during the call or afterwards: workers and commits too. */
  readonly heldUp: readonly string[];
}

let isSlow = false;
const cloud = benchCloud({
  // Machines added by calls do not start.
  latencyMs: (operation) => (isSlow && operation.startsWith('start') ? 3_600_000 : 0),
});
await using controller = await benchController(cloud);
const model = await createModel(controller, units);
isSlow = true;
const crossing = new Crossing(model, () => controller.running());
const view = () => controller.running().store.read().in(model);
const agent = await agentOf(controller, model);
let client = startClient();
const saved = mkdtempSync(join(tmpdir(), 'grigri-turns-'));
try {
  process.exitCode = await measureAll();
} finally {
  await client.terminate();
  rmSync(saved, { recursive: true, force: true });
}

async function measureAll(): Promise<number> {
  await controller.restart(() => cpSync(controller.dataDir, saved, { recursive: true }));
  const instances = cloud.instances().map((record) => ({ ...record }));
  await connectClient();
  const measured: Measured[] = [];
  const begun = controller.running().store.read().revision;
  console.log(`a model of ${view().count('unit')} units on ${view().count('machine')} machines`);
  for (const one of cases(model, view, { bytes, newest: values.quick, crossing })) {
    const name = `${one.facade}.${one.method}`;
    if (values.only && !values.only.includes(name) && !values.only.includes(one.facade)) continue;
    const result = await measure(one);
    // Progress is printed in long runs.
    if (!values.quick || result.turnMs > turnMsMax || result.heldUp.length > 0) console.log(line(result));
    measured.push(result);
    const isChanged = !values.quick && controller.running().store.read().revision !== begun;
    if (isChanged || result.error === unanswered) await restore(instances);
  }
  return judge(measured);
}

async function measure(one: Case): Promise<Measured> {
  const { facade, method, version, args, as, watch } = one;
  await ask({ kind: 'prepare', as, watch: watch(), call: { facade, method, version, args: args() } });
  if (!values.quick) await settled();
  const said = controller.logged.length;
  const turns = watchTurns();
  const answer = await Promise.race([
    ask({ kind: 'send' }),
    sleep(method === 'Next' ? newsMsMax : answerMsMax, { bytes: 0, error: unanswered }, { ref: false }),
  ]);
  const { cpuMs: turnMs, totalCpuMs: totalMs } = turns.stop();
  // Lost connections mean that the method did not run; a connection that a running method ended shows as a long turn.
  if (turnMs <= turnMsMax && answer.error.includes('connection to the controller lost'))
    throw new Error(`${facade}.${method} was not called: ${answer.error}`);
  if (!values.quick) await settled();
  return { ...one, ...answer, turnMs, totalMs, heldUp: slow(said) };
}

function slow(since: number): string[] {
  return controller.logged
    .slice(since)
    .map(({ message }) => /^work held up the controller work=(.*?) by=.*processorMs=(\d+)/.exec(message))
    .flatMap((said) => (said ? [`${said[1]!.replaceAll('"', '')} ${said[2]} ms`] : []));
}

/** Restores the controller's files and its cloud. */
async function restore(instances: readonly SimulatedInstance[]): Promise<void> {
  const ids = new Set(instances.map(({ instance }) => instance.id));
  await controller.restart(async () => {
    rmSync(controller.dataDir, { recursive: true });
    cpSync(saved, controller.dataDir, { recursive: true });
    for (const { instance } of cloud.instances()) if (!ids.has(instance.id)) await cloud.vanish(instance.id);
    for (const record of instances) await cloud.save('', { ...record });
  });
  await connectClient();
}

function startClient(): Worker {
  return new Worker(new URL('./turns-client.ts', import.meta.url));
}

async function connectClient(): Promise<void> {
  await client.terminate();
  client = startClient();
  const admin = controller.connectOptions(model);
  const as = {
    admin,
    controller: controller.connectOptions(),
    agent: { ...agent, addresses: admin.addresses },
    other: { ...admin, login: anonymous },
    'other controller': { ...controller.connectOptions(), login: anonymous },
  };
  const { error } = await ask({ kind: 'connect', as });
  if (error !== '') throw new Error(error);
}

async function ask(order: Order): Promise<Answer> {
  const answer = once(client, 'message');
  client.postMessage(order);
  return ((await answer) as [Answer])[0];
}

function judge(measured: readonly Measured[]): number {
  const slowest = measured.toSorted((a, b) => b.turnMs - a.turnMs);
  console.log('\nlongest turn, in all, answer, method');
  for (const one of slowest.slice(0, shown)) console.log(line(one));
  const over = measured.filter(({ turnMs, heldUp }) => turnMs > turnMsMax || heldUp.length > 0);
  const verdict = over.length > 0 ? 'missed' : 'met';
  console.log(
    `${measured.length} calls, ${over.length} with a turn of more than ${turnMsMax} ms; ${machine()}`,
  );
  const floor = quartiles([turnMsMax]);
  const product = quartiles(measured.map(({ turnMs }) => turnMs));
  const result: Result = {
    name: `turns: longest of each method, of ${units} units`,
    goal: `<= ${turnMsMax}`,
    verdict,
    floor,
    product,
    ratio: quartiles([(slowest[0]?.turnMs ?? NaN) / turnMsMax]),
    unit: 'ms',
    machine: machine(),
  };
  const file = process.env['BENCH_RESULTS'];
  if (file) appendFileSync(file, `${JSON.stringify(result)}\n`);
  return exitCode([verdict]);
}

function line({
  facade,
  version,
  method,
  form,
  turnMs,
  totalMs,
  bytes: length,
  error,
  heldUp,
}: Measured): string {
  const what = `${facade}(${version}).${method}${form === '' ? '' : `, ${form}`}`;
  const held = heldUp.length > 0 ? ` [${heldUp.join('; ')}]` : '';
  return `${turnMs.toFixed(0)} ms  ${totalMs.toFixed(0)} ms  ${length} bytes  ${what}${held}${error && `  "${error.slice(0, errorShownMax)}"`}`;
}
