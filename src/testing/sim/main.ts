/**
 * `npm run sim -- [--seed S | --seeds FROM-TO] [--new COUNT] [--hours H] [--only 3,7] [--trace] [--jobs N]
 * [--keep-going] [--check-determinism] [--provisioning | --offers | --restores | --files | --migration]`;
 * `--forecasts [--seeds FROM-TO] [--new COUNT]`;
 * `--mutants [NAME…] [--some COUNT]`; `--agents N [--seed S] [--hours H]`; `--crash-points [--seed S]`:
 * docs/simulation.md. Exits 1 when anything is wrong.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { crashEverywhere } from './crash-points.ts';
import { endure } from './endure.ts';
import { tryForecasts } from './forecasts.ts';
import { huntMutants } from './hunt-mutants.ts';
import { mutants } from './mutants.ts';
import type { About } from './script-for.ts';
import { simulate, type Terminal } from './simulate.ts';
import { defined } from '../../core/defined.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    new: { type: 'string', default: '0' },
    hours: { type: 'string', default: '0.25' },
    only: { type: 'string' },
    trace: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    'keep-going': { type: 'boolean', default: false },
    'check-determinism': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    some: { type: 'string' },
    agents: { type: 'string' },
    'crash-points': { type: 'boolean', default: false },
    provisioning: { type: 'boolean', default: false },
    offers: { type: 'boolean', default: false },
    restores: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    migration: { type: 'boolean', default: false },
    forecasts: { type: 'boolean', default: false },
  },
});
const terminal = openTerminal();
const jobs = Number(values.jobs);
const seed = Number(values.seed ?? 1);
const hours = Number(values.hours);
process.exitCode = (await run()) ? 0 : 1;

function run(): Promise<boolean> {
  if (values.mutants) return huntMutants({ names: mutantsAsked(), jobs }, terminal);
  if (values.agents !== undefined) return endure({ seed, hours, agents: Number(values.agents) }, terminal);
  if (values['crash-points']) return crashEverywhere(seed, terminal);
  const seeds = [...seedsAsked(), ...newSeeds(Number(values.new))];
  if (values.forecasts) return tryForecasts(seeds, terminal);
  return simulate(
    {
      seeds,
      hours,
      about: aboutAsked(),
      ...defined({ only: values.only === undefined ? undefined : numbers(values.only) }),
      jobs,
      keepGoing: values['keep-going'],
      twice: values['check-determinism'],
      trace: values.trace,
    },
    terminal,
  );
}

function aboutAsked(): About {
  if (values.migration) return 'migration';
  if (values.offers) return 'offers';
  if (values.restores) return 'restores';
  if (values.files) return 'files';
  return values.provisioning ? 'machines' : 'all';
}

function seedsAsked(): number[] {
  if (values.seeds === undefined) return [seed];
  const [from, to] = values.seeds.split('-').map(Number);
  if (from === undefined || to === undefined || !(from <= to))
    throw new RangeError(`--seeds ${values.seeds}: not FROM-TO`);
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}

/**
 * Returns all mutants when none are named; with --some, those with a script of their own, which a change may make miss
 * its bug, and a random selection of the others.
 */
function mutantsAsked(): string[] {
  if (values.some === undefined) return positionals;
  const scripted = mutants.filter(({ steps }) => steps).map(({ name }) => name);
  const left = mutants.filter(({ steps }) => !steps).map(({ name }) => name);
  const names = Array.from({ length: Math.min(Number(values.some), left.length) }, () => {
    const [name = ''] = left.splice(randomInt(left.length), 1);
    return name;
  });
  terminal.say(`all of the ${scripted.length} with a script, and by chance: ${names.join(', ')}`);
  return [...names, ...scripted];
}

/** Returns consecutive seeds from a random start, which have probably not been tried. */
function newSeeds(count: number): number[] {
  if (count === 0) return [];
  const first = randomInt(1_000_000, 1_000_000_000);
  terminal.say(`new: --seeds ${first}-${first + count - 1}`);
  return Array.from({ length: count }, (_, n) => first + n);
}

/** Parses numbers; `none` is an empty list. */
function numbers(text: string): number[] {
  return text === 'none' ? [] : text.split(',').map(Number);
}

/** Opens the terminal: lines are kept; progress is redrawn on a terminal, and printed now and then elsewhere. */
function openTerminal(): Terminal {
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? 200 : 30_000;
  let shownAt = performance.now() + 2_000 - everyMs;
  return {
    say(text) {
      if (isTTY) process.stderr.write('\r\x1b[K');
      process.stdout.write(`${text}\n`);
    },
    progress(text) {
      const now = performance.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      process.stderr.write(isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    },
  };
}
