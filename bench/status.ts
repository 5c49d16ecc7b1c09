/**
 * `node bench/status.ts [--n 10000]`: FullStatus of a model of N units over the API, against JSON.stringify and parse
 * of the same answer. Also prints how long concurrent calls waited.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { deployApplication } from '../src/controller/transactions/begin/deploy-application.ts';
import { benchController, provisioned, putCharm } from './controller.ts';
import { exitCode, pairs, quartiles, report } from './floor.ts';

const { values } = parseArgs({
  options: { n: { type: 'string', default: '10000' }, pairs: { type: 'string', default: '5' } },
});
const units = Number(values.n);

await using controller = await benchController();
const model = await controller.addModel('bench');
const charmUrl = await putCharm(controller, model);
for (let n = 0; n < units / 100; n++)
  await controller.running().store.change(
    (tx) =>
      deployApplication(tx.in(model), {
        name: `app${n}`,
        charmUrl,
        charmOrigin: { source: 'local', type: 'charm' },
        base: { name: 'ubuntu', channel: '24.04/stable' },
        numUnits: 100,
        constraints: {},
        placement: [],
        config: {},
        trust: false,
        endpointBindings: {},
      }),
    'bench',
  );
await provisioned(controller, model);
const connection = await controller.connect(model);
const bystander = await controller.connect(model);
const waits: number[] = [];
let answer: unknown;

const product = async (): Promise<number> => {
  let done = false;
  const others = (async () => {
    while (!done) {
      const start = performance.now();
      await bystander.call('Pinger', 'Ping');
      waits.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const start = performance.now();
  answer = await connection.call('Client', 'FullStatus', { patterns: [] });
  const ms = performance.now() - start;
  done = true;
  await others;
  return ms;
};
const floor = (): number => {
  const start = performance.now();
  JSON.parse(JSON.stringify(answer));
  return performance.now() - start;
};

await product();
const verdict = report(`status of ${units} units`, await pairs(floor, product, Number(values.pairs)), {
  atMost: 4,
});
const { median } = quartiles(waits);
const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? NaN;
console.log(`  another client's ping meanwhile: median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
await Promise.all([connection.close(), bystander.close()]);
process.exitCode = exitCode([verdict]);
