/**
 * `node bench/what-if.ts [--machines 100] [--pairs 3]`: a forecast of an hour of a model with ten units on each
 * machine, in which a machine is lost and replaced and units are added, from the copy to the answer, in processor time.
 * Exits 1 when the hour passes less than 500 times as fast as it would.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Forecasts } from '../src/controller/forecasts/forecasts.ts';
import type { Services } from '../src/controller/services.ts';
import { parseEvents } from '../src/core/forecast/events.ts';
import type { Forecast } from '../src/core/forecast/forecast.ts';
import { play } from '../src/forecast/play.ts';
import { systemNextTurn } from '../src/kit/clock.ts';
import { createWorld } from '../src/testing/sim/create-world.ts';
import type { SimOperator } from '../src/testing/sim/world.ts';
import { exitCode, pairs, report } from './floor.ts';

const { values } = parseArgs({
  options: { machines: { type: 'string', default: '100' }, pairs: { type: 'string', default: '3' } },
});
const machines = Number(values.machines);
const hourMs = 3_600_000;
const events = [
  '5m: machine 3 is lost',
  '15m: reprovision-machine 3',
  `30m: add-unit app9 ${Math.ceil(machines / 10)}`,
];

/** Deploys ten applications, a unit of each on each machine, and one that all units of the first are related to. */
async function deploy(operator: SimOperator): Promise<string> {
  const model = await operator.addModel('m');
  const hub = { provides: { hub: { interface: 'hub' } } };
  const app = { requires: { hub: { interface: 'hub' } } };
  const one = async (application: string, metadata: object, placement: readonly string[]): Promise<void> => {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const url = await operator.addCharm(model, {
      name: application,
      metadata: { ...metadata },
      run: async ({ name, context }) => {
        if (name === 'start') await context.setStatus('workload', 'active', '');
        return undefined;
      },
    });
    const params = {
      application,
      'charm-url': url,
      'num-units': placement.length,
      channel: '',
      'config-yaml': '',
      constraints: {},
      Force: false,
      'charm-origin': { source: 'local', type: 'charm', base },
      placement: placement.flatMap((directive) => (directive === '' ? [] : [{ scope: '#', directive }])),
    };
    await operator.call(model, 'Application', 'Deploy', { applications: [params] });
  };
  const ids = Array.from({ length: machines }, (_, n) => String(n));
  await one(
    'app0',
    app,
    ids.map(() => ''),
  );
  for (let n = 1; n < 10; n++) await one(`app${n}`, {}, ids);
  await one('hub', hub, ['0']);
  await operator.call(model, 'Application', 'AddRelation', { endpoints: ['app0:hub', 'hub:hub'] });
  return model;
}

const world = await createWorld({ seed: 1 });
let model = '';
world.operator(async (operator) => {
  model = await deploy(operator);
});
const began = performance.now();
await world.runFor(hourMs);
const { store, composed } = world.controller.running!;
const units = store.read().in(model).count('unit');
await world.stop();
console.log(`${units} units have run for an hour in ${((performance.now() - began) / 1000).toFixed(1)} s`);

const zonesOfCloud = {
  list: () => Promise.resolve(['zone1', 'zone2', 'zone3'].map((name) => ({ name, available: true }))),
};
const { clock } = composed.services;
const services: Services = {
  ...composed.services,
  nextTurn: systemNextTurn,
  clock: { now: () => clock.now(), sleep: () => new Promise(() => undefined) },
  // The simulated cloud answers on the world's clock, which has stopped.
  environ: (uuid, reader) => ({ ...composed.services.environ(uuid, reader), zones: zonesOfCloud }),
};
const maker = new Forecasts((input) => play(input, { now: () => performance.now() }));

/** Makes the forecast; returns how many times as fast as the hour it was, by the processor's time. */
async function forecast(): Promise<number> {
  const start = performance.now();
  const before = process.cpuUsage();
  const made: Forecast = await maker.make(
    { ...services, store },
    { modelUuid: model, horizonMs: hourMs, seed: 1, events: parseEvents(events, hourMs), files: [] },
    new AbortController().signal,
  );
  const tookMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const usedMs = (user + system) / 1000;
  const { all, well } = made.end.units;
  const added = Math.ceil(machines / 10);
  if (made.playedMs !== hourMs || all !== units + added || well !== all)
    throw new Error(`the forecast is not what it should be: ${JSON.stringify(made.end)}`);
  console.log(`an hour in ${(tookMs / 1000).toFixed(2)} s, ${(usedMs / 1000).toFixed(2)} s of the processor`);
  return hourMs / usedMs;
}

const compared = await pairs(() => 1, forecast, Number(values.pairs));
process.exitCode = exitCode([
  report(`what-if of an hour of ${units} units, against the hour`, compared, { atLeast: 500 }, 'times'),
]);
