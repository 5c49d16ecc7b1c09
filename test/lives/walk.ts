/**
 * `npm run test:lives [-- --all] [-- --jobs N] [-- --pairs N]`: goes through every order of steps in the small worlds,
 * a process for each processor, and prints how many there were. Of the pairs of commands it takes every 23rd, and every
 * 69th from another beginning each time, or the given one. `--all`: all pairs, which takes some ten minutes.
 */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { shorten } from '../../src/testing/lives/shorten.ts';
import { Fault, walk, type SmallWorld, type Walked } from '../../src/testing/lives/walk.ts';
import { gates } from '../../src/testing/lives/gated-worlds.ts';
import {
  beginnings,
  containers,
  crowds,
  imports,
  losing,
  losses,
  ownDisks,
  pairs,
  storages,
  waiting,
} from '../../src/testing/lives/worlds.ts';

const leastTransitions = 1_000_000;
/** Interval between the pairs that are walked without --all. */
const pairStep = 23;
const newPairStep = 69;

const [share, shares] = (process.env['LIVES_SHARE'] ?? '').split('/').map(Number);
const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    pairs: { type: 'string', default: process.env['LIVES_PAIRS'] ?? String(randomInt(newPairStep)) },
  },
});
const newPairs = Number(values.pairs);
const worlds = [
  ...beginnings,
  ...losses,
  ...crowds,
  ...containers,
  ...waiting,
  ...losing,
  ...gates,
  ...storages,
  ...ownDisks,
  ...imports,
  ...pairs.filter((_, n) => values.all || n % pairStep === 0 || n % newPairStep === newPairs),
];

interface Report {
  readonly world: string;
  readonly walked?: Walked;
  readonly fault?: string;
}

if (share !== undefined && shares !== undefined) await walkShare(share, shares);
else await walkAll();

async function walkAll(): Promise<void> {
  const started = performance.now();
  const total = { states: 0, transitions: 0, idle: 0, interleavings: 0 };
  let faults = 0;
  const count = Number(values.jobs);
  if (!values.all) console.log(`new: --pairs ${newPairs}`);
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const child = fork(import.meta.filename, process.argv.slice(2), {
        env: { ...process.env, LIVES_SHARE: `${n}/${count}`, LIVES_PAIRS: String(newPairs) },
      });
      child.on('message', (message) => {
        const { world, walked, fault } = message as Report;
        if (walked) {
          for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += walked[key];
          return;
        }
        faults++;
        console.log(`FAULT in ${world}\n${fault}\n`);
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      if (code !== 0) throw new Error(`a walker ended with ${String(code)}`);
    }),
  );
  const number = (n: number): string => (n < 1e15 ? n.toLocaleString('en') : n.toExponential(1));
  console.log(
    `${worlds.length} worlds: ${number(total.states)} states, ${number(total.transitions)} transitions and ` +
      `${number(total.idle)} steps that changed nothing, standing for ${number(total.interleavings)} interleavings; ` +
      `${((performance.now() - started) / 1000).toFixed(0)} s, ${faults} faults`,
  );
  if (faults === 0 && total.transitions < leastTransitions)
    throw new Error(`there should be ${number(leastTransitions)} transitions at least`);
  process.exitCode = faults > 0 ? 1 : 0;
}

async function walkShare(n: number, of: number): Promise<void> {
  // Refusals are frequent, and their stacks are not needed.
  Error.stackTraceLimit = 0;
  for (const small of worlds.filter((_, index) => index % of === n)) process.send?.(await report(small));
  process.disconnect();
}

async function report(small: SmallWorld): Promise<Report> {
  try {
    return { world: small.name, walked: await walk(small) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { world: small.name, fault: (await shorten(small, error)).message };
  }
}
