import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { longest } from '../quota.ts';

/** The state that a unit agent must find again after a crash; opaque to the controller. Model space; id = unit name. */
export interface UnitStateDoc {
  readonly unit: string;
  /** The hookId of the last HookCommit: a repeated commit changes nothing. */
  readonly lastHook: string;
  /** The unit agent's own state (core/unit/next-operation.ts LocalState), as JSON. */
  readonly agent: unknown;
  /** Values of state-set. */
  readonly charm: Readonly<Record<string, string>>;
  /** What the agent told after a restore: its state is newer than the backup. Until an operator accepts the restore. */
  readonly newer?: { readonly agent: unknown; readonly charm: Readonly<Record<string, string>> };
}

export const unitState = defineKind<UnitStateDoc>()({
  space: 'model',
  idOf: ({ unit }) => unit,
  isQuiet: () => true,
  quota: {
    name: ({ unit }) => `unit ${unit}`,
    measures: [
      { limit: limits.charmState, members: ['charm'], setting: 'max-charm-state-size' },
      { limit: limits.agentState, members: ['agent'], setting: 'max-agent-state-size' },
      { limit: limits.newerState, members: ['newer'] },
      { limit: limits.charmStateKeys, of: ({ charm }) => charm },
      { limit: limits.charmStateKey, of: ({ charm }) => longest(Object.keys(charm)) },
      { limit: limits.charmStateValue, of: ({ charm }) => longest(Object.values(charm)) },
    ],
  },
  upkeep: 'new',
});
