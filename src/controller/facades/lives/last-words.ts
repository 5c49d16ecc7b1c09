import type { Actor } from '../../../core/explain/explanation.ts';
import type { LogStore } from '../../../store/logs.ts';

/** Lines of a hook, hooks, and lines that are looked at for them: the log of a model may be long. */
const linesMax = 3;
const hooksMax = 3;
const lookMax = 20_000;

/** `unit.mysql/0.stop` → the last lines of that hook, of the first few that failed. */
export async function lastWords(
  logs: LogStore,
  model: string,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const words = new Map<string, string[]>();
  for (const { hook } of actors) if (hook && words.size < hooksMax) words.set(moduleOf(hook), []);
  if (words.size === 0) return words;
  let looked = 0;
  const wanted = (mod: string): boolean => (words.get(mod)?.length ?? linesMax) < linesMax;
  // Newest first; the search ends when it has as many lines as it was told, wanted or not.
  await logs.last(model, words.size * linesMax, ({ mod, msg }) => {
    if (++looked > lookMax) return true;
    if (!wanted(mod)) return false;
    words.get(mod)?.unshift(msg);
    return true;
  });
  return words;
}

/** What the unit's agent logs a hook's output under. */
export function moduleOf({ unit, name }: NonNullable<Actor['hook']>): string {
  return `unit.${unit}.${name}`;
}
