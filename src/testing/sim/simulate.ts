/** Runs many seeds on many processors, and shrinks the script of the first that fails. */
import { performance } from 'node:perf_hooks';
import { failureText, summary, Tally } from './report.ts';
import type { Outcome, Violation } from './run-script.ts';
import { Runner, type Order } from './runner.ts';
import { isSameFailure } from './same-failure.ts';
import { scriptFor, type About } from './script-for.ts';
import { shrink } from './shrink.ts';

export interface Terminal {
  /** Prints a line that stays. */
  readonly say: (text: string) => void;
  /** Shows progress. */
  readonly progress: (text: string) => void;
}

interface Simulation {
  readonly seeds: readonly number[];
  readonly hours: number;
  readonly about: About;
  readonly only?: readonly number[];
  readonly jobs: number;
  /** Whether to continue after a failure, without shrinking. */
  readonly keepGoing: boolean;
  /** Whether to run each seed twice, and not only some. */
  readonly twice: boolean;
  readonly trace: boolean;
}

/** Minimum number of seeds for which each kind of fault must have happened. */
const seedsForEachFault = 20;
/** The same for restores: their scripts have no commands that destroy models, and so fewer of the rare faults. */
const seedsWithRestores = 200;
/** Minimum number of seeds about machines for which each call of the cloud must have failed for each reason. */
const seedsForEachCall = 5_000;
/** Number of seeds of which one runs twice: both runs must be equal. */
const seedsForOneTwice = 50;

interface Failed {
  readonly seed: number;
  readonly violation: Violation;
}

/** Returns whether there were no violations. */
export async function simulate(simulation: Simulation, terminal: Terminal): Promise<boolean> {
  const { seeds, hours, about, only, jobs, keepGoing, twice, trace } = simulation;
  const began = performance.now();
  const tally = new Tally();
  const failed: Failed[] = [];
  const different: string[] = [];
  let hash = '';
  const left = seeds.values();

  async function runSome(runner: Runner): Promise<void> {
    for (const seed of left) {
      if (failed.length > 0 && !keepGoing) return;
      const order: Order = { seed, hours, about, only, keepTrace: trace };
      const outcome = await runner.run(order);
      note(outcome);
      if (outcome.violation || !(twice || (seeds.length > 1 && seed % seedsForOneTwice === 0))) continue;
      const { traceHash } = await runner.run(order);
      if (traceHash !== outcome.traceHash)
        different.push(`seed ${seed} is not deterministic: trace ${outcome.traceHash}, then ${traceHash}`);
    }
  }

  function note(outcome: Outcome): void {
    const { seed, violation, traceHash } = outcome;
    tally.add(outcome);
    hash = traceHash;
    if (trace) terminal.say(outcome.trace.join('\n'));
    if (violation) failed.push({ seed, violation });
    if (violation && keepGoing) terminal.say(oneLine({ seed, violation }));
    terminal.progress(`${tally.seeds} of ${seeds.length} seeds, ${failed.length} failed`);
  }

  await Promise.all(
    Array.from({ length: Math.min(jobs, seeds.length) }, async () => {
      await using runner = new Runner();
      await runSome(runner);
    }),
  );
  const realMs = performance.now() - began;
  const [first] = failed;
  if (first && !keepGoing) terminal.say(await explain(first, simulation, terminal));
  for (const text of different) terminal.say(text);
  terminal.say(summary(tally, realMs));
  if (seeds.length === 1) terminal.say(`trace ${hash}`);
  const isOfMachines = about === 'machines';
  const ofOthers = about === 'restores' ? seedsWithRestores : seedsForEachFault;
  const enough = isOfMachines ? seedsForEachCall : ofOthers;
  const missing =
    failed.length > 0 || seeds.length < enough
      ? []
      : isOfMachines
        ? tally.neverFailed
        : tally.neverInjected(about);
  if (missing.length > 0) terminal.say(`never happened: ${missing.join(', ')}`);
  return failed.length + different.length + missing.length === 0;
}

/** Leaves out the steps of the script that the failure does not need. */
async function explain(
  { seed, violation }: Failed,
  { hours, about, only }: Simulation,
  { progress }: Terminal,
): Promise<string> {
  await using runner = new Runner();
  const script = scriptFor({ seed, hours, about });
  const all = only ?? script.steps.map((_, n) => n);
  let tries = 0;
  let last = violation;
  const kept = await shrink(all, {
    fails: async (steps) => {
      const { violation: found } = await runner.run({ seed, hours, about, only: steps });
      const same = isSameFailure(found, violation);
      if (same && found) last = found;
      progress(
        `seed ${seed} fails; try ${++tries} to make it smaller: ${steps.length} steps ${same ? 'are enough' : 'are not enough'}`,
      );
      return same;
    },
  });
  return failureText({ seed, violation: last, script, kept, about });
}

function oneLine({ seed, violation }: Failed): string {
  return `seed ${seed}: ${violation.sentence.split('\n')[0]}`;
}
