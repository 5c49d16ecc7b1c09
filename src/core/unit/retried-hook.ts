/** Hooks that have failed, and that their agents run again by themselves (unit-agent.md#hook-retry). */
import { defined } from '../defined.ts';
import { mergedModelConfig } from '../model/config.ts';
import type { ModelDoc } from '../model/document.ts';
import type { Status } from '../status.ts';
import type { UnitDoc } from './document.ts';

export interface RetriedHook {
  readonly hook: string;
  /** RFC 3339: when it runs next; absent = its agent does not say. */
  readonly at?: string;
}

/** Key of the time of the next run, in the data of the agent's status. */
export const retryAtKey = 'retry-at';

/** Returns the failed hook that the unit's agent runs again; undefined = there is none, or a user was asked to act. */
export function retriedHook(
  unit: Pick<UnitDoc, 'resolved'>,
  agent: Status | undefined,
  { model, now }: { readonly model: ModelDoc | undefined; readonly now: string },
): RetriedHook | undefined {
  const { hook, [retryAtKey]: at } = agent?.data ?? {};
  if (agent?.status !== 'error' || typeof hook !== 'string' || unit.resolved !== '') return undefined;
  if (mergedModelConfig(model?.config ?? {})['automatically-retry-hooks'] !== true) return undefined;
  // An agent that is not heard of does not run it when it should.
  return { hook, ...defined({ at: typeof at === 'string' && at >= now ? at : undefined }) };
}
