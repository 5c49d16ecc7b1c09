/** Explanations of rolling refreshes: what they wait for, and what the user may do about it. */
import type { ApplicationDoc } from '../application/document.ts';
import { planRollout } from '../rollout/plan-rollout.ts';
import type { Rollout } from '../rollout/rollout.ts';
import { rolloutSnapshot } from '../rollout/snapshot.ts';
import { rolloutWords } from '../rollout/words.ts';
import type { Actor, Explanation } from './explanation.ts';
import type { Walk } from './walk.ts';

/** The roll-out of an application with the unit that blocks it; undefined = there is none. */
export function explainRollout(
  application: ApplicationDoc,
  { view, explainCause }: Walk,
): Pick<Explanation, 'text' | 'actor' | 'waitsFor' | 'more'> | undefined {
  const { rollout } = application;
  if (!rollout) return undefined;
  const snapshot = rolloutSnapshot(view, { ...application, rollout }, (machine) => view.present(machine));
  const step = planRollout(snapshot);
  const words = rolloutWords(snapshot, step);
  const unit = rollout.problem?.unit ?? (step.kind === 'wait' ? step.unit : undefined);
  const isThere = unit !== undefined && view.get('unit', unit) !== undefined;
  return {
    text: `its ${rollout.kind} to ${snapshot.target} is ${rollout.state}${words && `: ${words}`}`,
    actor: actorOf(application, rollout, !snapshot.batch.some(({ name, error }) => error && name === unit)),
    waitsFor: isThere ? [explainCause({ kind: 'unit', id: unit })] : [],
    more: 0,
  };
}

const tasks: Readonly<Record<Rollout['state'], string>> = {
  rolling: 'wait for the batch, or end the roll-out',
  paused: 'look at the canary, then go on or return',
  stopped: 'mend the unit and go on, or return',
  aborted: 'refresh again, or return',
};

/** The actor that a stopped roll-out waits for. `isWell`: whether the unit that stopped it is no longer in error. */
function actorOf(
  { name, charmUrl }: ApplicationDoc,
  { kind, state, before, since, resources }: Rollout,
  isWell: boolean,
): Actor {
  const line = (flag: string, effect: string): Actor['commands'][number] => ({
    line: `refresh ${name} ${flag}`,
    effect,
  });
  return {
    kind: 'operator',
    name: `application ${name}`,
    task: state === 'stopped' && isWell ? 'go on, or return' : tasks[state],
    since,
    commands: [
      ...(state === 'paused' ? [line('--resume', 'upgrades the other units')] : []),
      ...(state === 'stopped' ? [line('--resume', 'runs failed hooks of the batch again and goes on')] : []),
      ...(state === 'aborted' ? [line(`--switch ${charmUrl} --rolling`, 'upgrades the other units')] : []),
      ...(kind === 'refresh'
        ? [line('--rollback', `returns to ${resources ? 'the resources before' : before.charmUrl}`)]
        : []),
      ...(state === 'aborted' ? [] : [line('--abort', 'leaves each unit the charm that it runs')]),
    ],
  };
}
