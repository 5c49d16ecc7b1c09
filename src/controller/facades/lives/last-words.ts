import type { Actor } from '../../../core/explain/explanation.ts';
import type { LogStore } from '../../../store/logs.ts';
import { unitTag } from '../../../wire/tags.ts';

/** At most, in this order: different lines of a hook; lines of the log for each; hooks; lines that are looked at for all. */
const differentMax = 3;
const linesMax = 100;
const hooksMax = 3;
const lookMax = 20_000;

/** A line that a failed hook wrote, and how often: a hook that is tried again says the same again. */
export interface Said {
  readonly line: string;
  readonly times: number;
}

/** `unit.mysql/0.stop` → the last different lines of that hook, of the first few that failed; oldest first. */
export async function lastWords(
  logs: LogStore,
  model: string,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, readonly Said[]>> {
  const hooks = new Map<string, { tag: string; said: Map<string, number> }>();
  for (const { hook } of actors)
    if (hook && hooks.size < hooksMax)
      hooks.set(moduleOf(hook), { tag: unitTag(hook.unit), said: new Map() });
  if (hooks.size === 0) return new Map();
  let looked = 0;
  // Newest first; the search ends when it has as many lines as it was told, wanted or not.
  await logs.last(model, hooks.size * linesMax, ({ tag, mod, msg }) => {
    if (++looked > lookMax) return true;
    const hook = hooks.get(mod);
    // Whose line it is says the tag, which the controller checked; a module is what the agent says.
    if (hook?.tag !== tag) return false;
    const { said } = hook;
    if (!said.has(msg) && said.size === differentMax) return false;
    said.set(msg, (said.get(msg) ?? 0) + 1);
    return true;
  });
  const saidOf = (said: ReadonlyMap<string, number>): Said[] =>
    [...said].map(([line, times]) => ({ line, times })).reverse();
  return new Map([...hooks].map(([mod, { said }]) => [mod, saidOf(said)]));
}

/** What the unit's agent logs a hook's output under. */
export function moduleOf({ unit, name }: NonNullable<Actor['hook']>): string {
  return `unit.${unit}.${name}`;
}
