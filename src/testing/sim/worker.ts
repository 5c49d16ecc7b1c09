/**
 * Process behind runner.ts: `node worker.ts [BUG as JSON]`; runs the scripts that it is sent, one after another. What
 * is loaded before the bug is applied does not have it, so this file imports nothing of the product by then.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Order } from './runner.ts';
import { applyBug } from './mutant-loader.ts';

// A bug has a process of its own, which would spend more time on compiling the product than on finding it.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/compiled'));
const [bug] = process.argv.slice(2);
const checkBug = bug === undefined ? undefined : applyBug(JSON.parse(bug));
const { controllersOf, scriptFor } = await import('./script-for.ts');
const { runScript } = await import('./run-script.ts');
// The process is killed at its end, which keeps nothing.
flushCompileCache();

process.on('message', (order: Order) => void work(order));

async function work({ only, steps: given, keepTrace = false, ...order }: Order): Promise<void> {
  const script = given ? { ...order, controllers: controllersOf(order), steps: given } : scriptFor(order);
  const steps = only ? only.flatMap((n) => script.steps[n] ?? []) : script.steps;
  const outcome = await runScript({ ...script, steps }, { keepTrace });
  checkBug?.();
  // The parent may have ended by now.
  process.send?.(outcome, () => undefined);
}
