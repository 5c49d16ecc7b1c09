/** Effects of a removal command, taken from the removal's plan. */
import type { EntityRef } from '../entity-ref.ts';
import type { HarvestMode } from '../machine/plan-provisioning.ts';
import { mergedModelConfig } from '../model/config.ts';
import { planRemoval } from '../removal/plan-removal.ts';
import type { RemovalPlan } from '../removal/plan.ts';
import type { ExplainView } from './explanation.ts';

/**
 * Machines that go when the targets are removed: a machine with its last unit, and with it the host that was made for
 * it.
 */
export function machinesTaken(targets: readonly EntityRef[], view: ExplainView): string[] {
  return plan(targets, view).targets.flatMap(({ dies }) =>
    dies.flatMap(({ kind, ids }) => (kind === 'machine' ? ids : [])),
  );
}

/** Whether the machine's instance keeps running after the empty machine is removed. */
export function leavesInstance(id: string, view: ExplainView): boolean {
  const instance = view.get('machine', id)?.instance?.id ?? '';
  const { keeps } = plan([{ kind: 'machine', id }], view, true);
  return keeps.some(({ kind, ids }) => kind === 'instance' && ids.includes(instance));
}

function plan(targets: readonly EntityRef[], view: ExplainView, force = false): RemovalPlan {
  const harvest = mergedModelConfig(view.model?.config ?? {})['provisioner-harvest-mode'] as HarvestMode;
  return planRemoval(view, targets, { harvest, force });
}
