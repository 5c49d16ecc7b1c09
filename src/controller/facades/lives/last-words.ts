import type { Actor } from '../../../core/explain/explanation.ts';
import type { LogStore } from '../../../store/logs.ts';
import { unitTag } from '../../../wire/tags.ts';

/**
 * Maximum numbers, in this order: different lines of a hook; lines of the log for each; hooks; lines that are looked at
 * for all.
 */
const differentMax = 3;
const linesMax = 100;
const hooksMax = 3;
const examinedMax = 20_000;

/** Line that a failed hook wrote, with its count: a hook that is tried again repeats its lines. */
interface HookLine {
  readonly line: string;
  readonly times: number;
}

/** Finds the last different lines of the first few failed hooks, oldest first, keyed like `unit.mysql/0.stop`. */
export async function lastHookLines(
  logs: LogStore,
  model: string,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, readonly HookLine[]>> {
  const hooks = new Map<string, { tag: string; lines: Map<string, number> }>();
  for (const { hook } of actors)
    if (hook && hooks.size < hooksMax)
      hooks.set(moduleOf(hook), { tag: unitTag(hook.unit), lines: new Map() });
  if (hooks.size === 0) return new Map();
  let examined = 0;
  // The search goes from the newest line on, and ends at the given number of lines, matching or not.
  await logs.last(model, hooks.size * linesMax, ({ tag, mod, msg }) => {
    if (++examined > examinedMax) return true;
    const hook = hooks.get(mod);
    // The tag, which the controller checked, says whose line it is; the module is the agent's own claim.
    if (hook?.tag !== tag) return false;
    const { lines } = hook;
    if (!lines.has(msg) && lines.size === differentMax) return false;
    lines.set(msg, (lines.get(msg) ?? 0) + 1);
    return true;
  });
  const toLines = (lines: ReadonlyMap<string, number>): HookLine[] =>
    [...lines].map(([line, times]) => ({ line, times })).reverse();
  return new Map([...hooks].map(([mod, { lines }]) => [mod, toLines(lines)]));
}

/** Module under which the unit's agent logs a hook's output. */
export function moduleOf({ unit, name }: NonNullable<Actor['hook']>): string {
  return `unit.${unit}.${name}`;
}
