/** Removal of applications, units and machines: the plan and the outcome. */
import { listItems } from '../../core/model/config.ts';
import { call } from '../../client/calls.ts';
import type { PlannedRemoval } from '../../wire/facades/removal-plan.ts';
import type { RequirementsChange } from '../../wire/facades/requirements.ts';
import { applicationTag, machineTag, unitTag } from '../../wire/tags.ts';
import { mergeRequirements } from '../requirements.ts';
import type { ModelSession } from '../sessions.ts';
import { defined } from '../../core/defined.ts';

export interface Removal {
  readonly kind: 'application' | 'unit' | 'machine';
  readonly names: readonly string[];
  readonly force: boolean;
  /** Forced removal does not wait for any agent. */
  readonly noWait: boolean;
  readonly destroyStorage?: boolean;
  /** Machines are removed without their instances, which keep running unmanaged. */
  readonly keepInstance?: boolean;
}

/** Result for one of the names. */
export interface RemovalResult {
  readonly error?: { readonly message: string } | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly requirements?: RequirementsChange | undefined;
}

const tags = { application: applicationTag, unit: unitTag, machine: machineTag };

/** Returns what the removal would do, for each name and in total, and changes nothing. */
export function planRemoval({ connection }: ModelSession, removal: Removal): Promise<PlannedRemoval> {
  const { kind, names, force, destroyStorage, keepInstance } = removal;
  return call(connection, 'Lives', 'PlanRemoval', {
    targets: names.map((name) => ({ tag: tags[kind](name) })),
    ...defined({
      force: force || undefined,
      keep: keepInstance || undefined,
      'destroy-storage': destroyStorage || undefined,
    }),
  });
}

/** Removes the entities and returns the results in the order of the names. */
export async function remove(
  { connection }: ModelSession,
  { kind, names, force, noWait, destroyStorage, keepInstance }: Removal,
): Promise<readonly RemovalResult[]> {
  const wait = noWait ? { 'max-wait': 0 } : {};
  const storage = destroyStorage ? { 'destroy-storage': true } : {};
  switch (kind) {
    case 'application': {
      const applications = names.map((name) => ({
        'application-tag': applicationTag(name),
        force,
        ...storage,
        ...wait,
      }));
      return (await call(connection, 'Application', 'DestroyApplication', { applications })).results;
    }
    case 'unit': {
      const forced = force ? { force } : {};
      const units = names.map((name) => ({ 'unit-tag': unitTag(name), ...forced, ...storage, ...wait }));
      return (await call(connection, 'Application', 'DestroyUnit', { units })).results;
    }
    case 'machine': {
      const params = {
        'machine-tags': names.map(machineTag),
        ...defined({ force: force || undefined, keep: keepInstance || undefined }),
        ...wait,
      };
      return (await call(connection, 'MachineManager', 'DestroyMachineWithParams', params)).results;
    }
  }
}

/**
 * Returns the part of the plan that was really done. Applications that are pending from now on are in the results, not
 * here.
 */
export function executedPlan(
  { targets, keeps, waits }: PlannedRemoval,
  results: readonly RemovalResult[],
): PlannedRemoval {
  const executed = targets.map((target, i) => {
    const error = results[i]?.error;
    if (error) return { error: { code: '', message: error.message } };
    // A target that the plan refused may have been accepted a moment later.
    return target.error ? { dies: [] } : target;
  });
  return { targets: executed, keeps, waits };
}

/**
 * Summarises the results of `names`: what was removed, and which applications are deployed or pending because of it.
 */
export function outcome(
  names: readonly string[],
  results: readonly RemovalResult[],
): { readonly removed: readonly string[]; readonly requirements: RequirementsChange } {
  const removed = names.filter((_, i) => !results[i]?.error);
  const requirements = mergeRequirements(
    results.map((result) => result.requirements),
    removed,
  );
  return { removed, requirements };
}

/** Returns whether the model wants confirmation before a removal: its `mode` contains `requires-prompts`. */
export async function requiresPrompts({ connection }: ModelSession): Promise<boolean> {
  const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
  const mode = config['mode']?.value;
  return typeof mode !== 'string' || listItems(mode).includes('requires-prompts');
}
