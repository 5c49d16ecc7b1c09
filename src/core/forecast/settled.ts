import type { ExplainView } from '../explain/explanation.ts';
import { livingKinds } from '../living.ts';
import { statusId } from '../status.ts';

/**
 * Whether nothing in the model changes by itself once its agents rest: nothing is being removed, rolled out, awaited or
 * started (forecasts.md#the-rest).
 */
export function isSettled(view: ExplainView): boolean {
  if (view.model?.life !== 'alive' || view.get('status', statusId('model', ''))?.status === 'suspended')
    return false;
  for (const kind of livingKinds)
    if (kind !== 'model') for (const { life } of view.list(kind)) if (life !== 'alive') return false;
  for (const { pending, rollout } of view.list('application')) if (pending || rollout) return false;
  for (const { instance } of view.list('machine')) if (!instance) return false;
  for (const { ending, retry, attachment } of view.list('storage'))
    if (ending || retry || attachment?.life === 'dying') return false;
  return true;
}
