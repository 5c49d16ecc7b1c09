/** Explanations of stray instances, which no machine record refers to (machines.md#strays). */
import type { StrayDoc } from '../stray/document.ts';
import { harvestModeOf } from '../model/restored.ts';
import type { Actor, Explanation, ExplainView } from './explanation.ts';

/** Explains the model's strays: the first `shownMax` of them, and their total number. */
export function explainStrays(view: ExplainView, shownMax: number): { shown: Explanation[]; total: number } {
  const shown: Explanation[] = [];
  for (const stray of view.list('stray')) {
    if (shown.length >= shownMax) break;
    shown.push(explainStray(stray, view));
  }
  return { shown, total: view.count('stray') };
}

function explainStray({ instanceId, machine, since }: StrayDoc, view: ExplainView): Explanation {
  return {
    kind: 'stray',
    id: instanceId,
    name: `instance ${instanceId}`,
    since,
    text:
      machine === ''
        ? 'no machine refers to it'
        : `no machine refers to it; it was made for machine ${machine}`,
    actor: actor(since, view),
    waitsFor: [],
    more: 0,
    above: false,
  };
}

/** The actor shared by all strays. */
function actor(since: string, view: ExplainView): Actor {
  const name = `model ${view.model?.name ?? ''}`;
  const mode = harvestModeOf(view.model);
  if (mode === 'all' || mode === 'unknown')
    return {
      kind: 'provisioner',
      name,
      task: 'stops instances that no machine refers to',
      since,
      commands: [],
    };
  const next = mode === 'none' ? 'unknown' : 'all';
  return {
    kind: 'operator',
    name,
    task: 'stop the instances that no machine refers to, unless you need them',
    since,
    commands: [
      {
        line: `model-config provisioner-harvest-mode=${next}`,
        effect: 'makes the controller stop them, and any found later',
      },
    ],
  };
}
