/** The process behind runner.ts: `node worker.ts [mutant]`; runs what it is sent, one after another. */
import type { Order } from './runner.ts';
import { applyMutant } from './mutant-loader.ts';
import { mutantNamed } from './mutants.ts';

const [mutant] = process.argv.slice(2);
if (mutant !== undefined) applyMutant(mutantNamed(mutant));
// Only now, so that the mutant is in it.
const { generateScript } = await import('./generate-script.ts');
const { runScript } = await import('./run-script.ts');

process.on('message', (order: Order) => void work(order));

async function work({ seed, hours, only, steps: given, keepTrace = false }: Order): Promise<void> {
  const script = given ? { seed, hours, steps: given } : generateScript({ seed, hours });
  const steps = only ? only.flatMap((n) => script.steps[n] ?? []) : script.steps;
  const outcome = await runScript({ ...script, steps }, { keepTrace });
  // Whoever asked may be gone by now.
  process.send?.(outcome, () => undefined);
}
