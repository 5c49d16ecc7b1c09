/** Process behind runner.ts: `node worker.ts [mutant]`; runs the scripts that it is sent, one after another. */
import type { Order } from './runner.ts';
import { applyMutant } from './mutant-loader.ts';
import { mutantNamed } from './mutants.ts';

const [mutant] = process.argv.slice(2);
if (mutant !== undefined) applyMutant(mutantNamed(mutant));
// The import comes after the mutant is applied.
const { controllersOf, scriptFor } = await import('./script-for.ts');
const { runScript } = await import('./run-script.ts');

process.on('message', (order: Order) => void work(order));

async function work({ only, steps: given, keepTrace = false, ...order }: Order): Promise<void> {
  const script = given ? { ...order, controllers: controllersOf(order), steps: given } : scriptFor(order);
  const steps = only ? only.flatMap((n) => script.steps[n] ?? []) : script.steps;
  const outcome = await runScript({ ...script, steps }, { keepTrace });
  // The parent may have ended by now.
  process.send?.(outcome, () => undefined);
}
