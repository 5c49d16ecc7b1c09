import { setImmediate } from 'node:timers/promises';
import type {
  Group,
  PlannedTarget,
  RemovalOptions,
  RemovalPlan,
  RemovalTarget,
} from '../../../core/removal/plan.ts';
import { planning } from '../../../core/removal/plan-removal.ts';
import type { Refusal } from '../../../core/removal/refusal.ts';
import { why } from '../../../core/removal/why.ts';
import type { PlannedGroup, PlannedRemoval } from '../../../wire/facades/removal-plan.ts';
import type { View } from '../../transactions/tx.ts';
import { defined } from '../../../core/defined.ts';

/** Builds the plan as it is sent; other requests run between its steps. */
export async function planInTurns(
  view: View,
  targets: readonly RemovalTarget[],
  options: RemovalOptions,
): Promise<PlannedRemoval> {
  const steps = planning(view, targets, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return describe(view, step.value);
    await setImmediate();
  }
}

/** Result for a target that cannot be planned for. */
export function refused({ code, message, passedOver }: Refusal): PlannedRemoval['targets'][number] {
  return { error: { code, message }, ...defined({ 'force-helps': passedOver ? true : undefined }) };
}

function describe(view: View, { targets, keeps, waits }: RemovalPlan): PlannedRemoval {
  const keyOf = (id: string): string | undefined => view.get('relation', id)?.key;
  const group = (sourceGroup: Group<Parameters<typeof why>[0]['reason']>): PlannedGroup => ({
    kind: sourceGroup.kind,
    reason: sourceGroup.reason,
    why: why(sourceGroup, keyOf),
    names: sourceGroup.kind === 'relation' ? sourceGroup.ids.map((id) => keyOf(id) ?? id) : sourceGroup.ids,
  });
  const target = ({ refusal, passedOver, dies }: PlannedTarget): PlannedRemoval['targets'][number] => {
    if (refusal) return refused(refusal);
    return {
      ...(passedOver.length > 0 ? { 'passed-over': passedOver.map(({ text }) => text) } : {}),
      dies: dies.map(group),
    };
  };
  return { targets: targets.map(target), keeps: keeps.map(group), waits: waits.map(group) };
}
