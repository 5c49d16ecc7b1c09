/**
 * `node bench/apply.ts [--n 10000] [--parallel 8]`: an apply of a model file of N applications with a unit each, half
 * of them related to the other half, to an empty model, and the plan after it, which is empty, over the API of a real
 * controller whose cloud starts nothing, against those of N/2, in processor time of client and controller: nothing is
 * quadratic. Exits 1 when it takes more than 2.6 times as much.
 */
import { parseArgs } from 'node:util';
import { toYaml } from '../src/kit/yaml/write.ts';
import { fileClient, shopFolder } from '../src/testing/model-file/client.ts';
import { benchCloud, benchController } from './controller.ts';
import { exitCode, pairs, report } from './floor.ts';

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '10000' },
    parallel: { type: 'string', default: '8' },
    pairs: { type: 'string', default: '1' },
  },
});
const most = Number(values.n);
let models = 0;

await using controller = await benchController(
  benchCloud({ latencyMs: (operation) => (operation.startsWith('start') ? 3_600_000 : 0) }),
);
using folder = shopFolder();

function fileOf(count: number): string {
  const numbers = Array.from({ length: count / 2 }, (_, n) => n);
  return toYaml({
    name: 'shop',
    applications: Object.fromEntries(
      numbers.flatMap((n) => [
        [`kv${n}`, { charm: './kv', num_units: 1, constraints: 'mem=2G' }],
        [`web${n}`, { charm: './web', num_units: 1, options: { size: n } }],
      ]),
    ),
    relations: numbers.map((n) => [`web${n}:db`, `kv${n}:db`]),
  });
}

/** Applies a file to a model of its own, plans it again, tells what that took, and returns the milliseconds of both. */
async function measured(count: number): Promise<number> {
  const model = `apply-${models++}`;
  await controller.addModel(model);
  await using client = await fileClient(controller, folder, model);
  const text = fileOf(count);
  const start = processorMs();
  const prepared = await client.plan(text);
  const planned = processorMs();
  await client.apply(prepared, Number(values.parallel));
  const applied = processorMs();
  const again = await client.plan(text, { prune: true });
  const done = processorMs();
  if (again.plan.steps.length > 0) throw new Error('the plan after the apply is not empty');
  const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);
  const mib = Math.round(process.memoryUsage.rss() / 2 ** 20);
  console.log(
    `${count} applications: plan ${seconds(start, planned)} s, apply ${seconds(planned, applied)} s ` +
      `(${((applied - planned) / count).toFixed(2)} ms each), plan again ${seconds(applied, done)} s; ${mib} MiB`,
  );
  return done - planned;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const compared = await pairs(
  () => measured(most / 2),
  () => measured(most),
  Number(values.pairs),
);
process.exitCode = exitCode([
  report(`apply of ${most} applications, and the plan after it, to half of them`, compared, { atMost: 2.6 }),
]);
