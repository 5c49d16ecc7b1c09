/** A roll-out in words, for status, explain and the history. */
import type { RolloutSnapshot, RolloutStep } from './plan-rollout.ts';
import { takenWords, type Rollout } from './rollout.ts';

/** State of a roll-out: `batch 2: unit db/3 is in error: hook failed: "upgrade-charm"`. */
export function rolloutWords(
  { rollout, batch: units }: Pick<RolloutSnapshot, 'rollout' | 'batch'>,
  step: RolloutStep,
): string {
  const { state, batch, problem } = rollout;
  const at = batch === 0 ? '' : `batch ${batch}: `;
  switch (state) {
    case 'stopped': {
      const name = problem?.unit;
      const unit = units.find((one) => one.name === name);
      const how = unit?.error
        ? 'is in error'
        : `was in error, and ${unit ? 'no longer is' : 'is removed since'}`;
      return `${at}unit ${name} ${how}: ${problem?.message}`;
    }
    case 'paused':
      return units.length > 0
        ? `unit ${units[0]!.name} is healthy, as the canary`
        : 'the canary was healthy, and is removed since';
    case 'aborted':
      return 'the other units keep their charm until the next refresh';
    case 'rolling':
      return step.kind === 'wait' ? `${at}unit ${step.unit} ${step.why}` : '';
  }
}

/** Changes of a roll-out in words, for the history. */
export function rolloutChanges(old: Rollout | undefined, now: Rollout | undefined): string[] {
  if (!now) return old ? [`rolling ${kindWords(old)} ended`] : [];
  const { state, batch, problem } = now;
  const kind = kindWords(now);
  if (!old || old.kind !== now.kind || (old.state === 'aborted' && state === 'rolling')) {
    const batches = `${now.maxUnavailable} at a time, each waits for ${now.waitFor}`;
    return [`rolling ${kind} began: ${batches}${now.pauseAfterCanary ? ', pauses after the canary' : ''}`];
  }
  if (old.state === state) return batch > old.batch ? [`rolling ${kind}: batch ${batch} released`] : [];
  const was: Readonly<Record<Rollout['state'], string>> = {
    stopped: `stopped in batch ${batch}: unit ${problem?.unit}: ${problem?.message}`,
    paused: 'paused after the canary',
    aborted: 'aborted',
    rolling: 'resumed',
  };
  return [`rolling ${kind} ${was[state]}`];
}

/** `refresh`, `rollback of resource dump`. */
function kindWords({ kind, resources }: Rollout): string {
  return resources ? `${kind} of ${takenWords('', resources.names)}` : kind;
}
