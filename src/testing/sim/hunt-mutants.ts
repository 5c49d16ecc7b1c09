import { performance } from 'node:perf_hooks';
import { mutated } from './mutant-loader.ts';
import type { Mutant } from './mutant.ts';
import { mutantNamed, mutants } from './mutants.ts';
import type { Outcome } from './run-script.ts';
import { Runner, showsBug } from './runner.ts';
import type { Terminal } from './simulate.ts';
import { defined } from '../../core/defined.ts';

/** Maximum number of worlds that are searched for a bug: a script of its own has to reach it soon. */
const seedsMax = { chance: 100, script: 20 };
const defaultHours = 0.12;

/** Runs worlds whose product has a bug, until one shows it. Returns whether each bug was found. */
export async function huntMutants(
  { names, jobs }: { names: readonly string[]; jobs: number },
  { say, progress }: Terminal,
): Promise<boolean> {
  const began = performance.now();
  const hunted = names.length === 0 ? mutants : names.map(mutantNamed);
  // A mutant whose text does not match must not count as found.
  for (const mutant of hunted) mutated(mutant);
  const queue = hunted.values();
  const survivors: string[] = [];
  let done = 0;
  await Promise.all(
    Array.from({ length: Math.min(jobs, hunted.length) }, async () => {
      for (const mutant of queue) {
        const found = await hunt(mutant);
        done++;
        if (found)
          say(`found    ${mutant.name}: seed ${found.seed}: ${found.violation?.sentence.split('\n')[0]}`);
        else {
          survivors.push(mutant.name);
          say(`SURVIVED ${mutant.name}`);
        }
        progress(`${done} of ${hunted.length} mutants`);
      }
    }),
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${hunted.length - survivors.length} of ${hunted.length} mutants found in ${seconds} s`);
  return survivors.length === 0;
}

/** Looks for a world that fails with the bug and not without. */
async function hunt(mutant: Mutant): Promise<Outcome | undefined> {
  const { name, file, find, replace, about, hours = defaultHours, steps } = mutant;
  await using mutantRunner = new Runner({ name, file, find, replace });
  await using product = new Runner();
  const last = steps ? seedsMax.script : seedsMax.chance;
  for (let seed = 1; seed <= last; seed++) {
    const order = { seed, hours, ...defined({ about, steps }) };
    const outcome = await mutantRunner.run(order);
    if (showsBug(outcome) && !(await product.run(order)).violation) return outcome;
  }
  return undefined;
}
