import { performance } from 'node:perf_hooks';
import { mutated } from './mutant-loader.ts';
import type { Mutant } from './mutant.ts';
import { mutantNamed, mutants } from './mutants.ts';
import type { Outcome } from './run-script.ts';
import { Runner } from './runner.ts';
import type { Terminal } from './simulate.ts';

/** So many worlds a bug may hide in. */
const seedsMax = 30;
const defaultHours = 0.12;

/** Lets worlds run whose product has a bug, until one shows it. True when each was found. */
export async function huntMutants(
  { names, jobs }: { names: readonly string[]; jobs: number },
  { say, progress }: Terminal,
): Promise<boolean> {
  const began = performance.now();
  const hunted = names.length === 0 ? mutants : names.map(mutantNamed);
  // One that fits no more would be found by nobody.
  for (const mutant of hunted) mutated(mutant);
  const left = hunted.values();
  const survivors: string[] = [];
  let done = 0;
  await Promise.all(
    Array.from({ length: Math.min(jobs, hunted.length) }, async () => {
      for (const mutant of left) {
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

/** A world in which something is wrong that is right without the bug. */
async function hunt({ name, hours = defaultHours, steps }: Mutant): Promise<Outcome | undefined> {
  await using mutant = new Runner(name);
  await using product = new Runner();
  for (let seed = 1; seed <= seedsMax; seed++) {
    const order = { seed, hours, ...(steps && { steps }) };
    const outcome = await mutant.run(order);
    if (outcome.violation && !(await product.run(order)).violation) return outcome;
  }
  return undefined;
}
