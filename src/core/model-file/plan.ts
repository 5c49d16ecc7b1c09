/** The result of planning a model file: what would be done, what it would take, and what stays as it is. */
import type { LevelOf } from '../access/levels.ts';
import type { BundleModel } from '../bundle/bundle-model.ts';
import type { BundlePlan, Difference } from '../bundle/plan-bundle.ts';
import type { Constraints } from '../constraints.ts';
import type { ModelConfigValue } from '../model/config.ts';
import type { Missing } from '../requirements/requirement.ts';
import type { FilePool } from './model-file.ts';
import type { OwnedThings } from './owned.ts';
import type { ModelStep, RemovalStep } from './step.ts';

/** The model that a file is compared with. */
export interface LiveModel {
  readonly bundle: BundleModel;
  /** Values of the model's configuration that were set. */
  readonly settings: Readonly<Record<string, ModelConfigValue>>;
  readonly constraints: Constraints;
  readonly access: Readonly<Record<string, LevelOf<'model'>>>;
  readonly secrets: Readonly<Record<string, LiveSecret>>;
  readonly storagePools: Readonly<Record<string, FilePool>>;
  /** What this file made. */
  readonly owned: OwnedThings;
}

/** A user's secret of the model. */
export interface LiveSecret {
  readonly description: string;
  /** SHA-256 of the newest content (checksumText), in hex; absent = not asked for. */
  readonly checksum?: string;
  /** Applications that may read the secret. */
  readonly grants: readonly string[];
}

export interface ModelPlan {
  /** The steps, in an order in which they may be carried out. */
  readonly steps: readonly ModelStep[];
  /** Removals of what this file made and no longer names, when they were not asked for. */
  readonly unpruned: readonly RemovalStep[];
  /** Differences that no step makes even. */
  readonly differences: readonly FileDifference[];
  /** What would have to be replaced, which was not asked for: the plan must not be applied. */
  readonly refused: readonly Refused[];
  /** Applications of the file that wait after all steps. */
  readonly waits: readonly PlannedWait[];
  /** Machines that the cloud, or a host, would be asked for. */
  readonly machines: readonly MachineAsked[];
  /** The bundle's part of the plan, whose machines its steps refer to. */
  readonly bundle: BundlePlan;
}

/** An application that would have to be replaced, or an offer that would have to be made anew for it. */
export interface Refused {
  readonly application: string;
  readonly offer?: string;
  readonly why: string;
}

/** A difference of an application of the file, or of a machine of the model. */
export type FileDifference = {
  readonly of: Difference['of'] | 'placement' | 'constraints';
  readonly text: string;
} & ({ readonly application: string } | { readonly machine: string });

interface PlannedWait {
  readonly application: string;
  /** Requirements that nothing in the model or the file satisfies, and gates that are not open yet. */
  readonly missing: readonly Missing[];
}

/** A machine that the steps make. */
export interface MachineAsked {
  /** What it is for: `web/0`, `machine 2`. */
  readonly for: string;
  /** As text, `ubuntu@24.04`; absent = the model's default. */
  readonly base?: string;
  /** Constraints of the application or machine over those of the model. */
  readonly constraints: Constraints;
  /** Set when the machine is a container: its type, and its host, which is `new` for one that is made, too. */
  readonly container?: { readonly type: string; readonly on: string };
  /** A directive for the cloud, such as `zone=z1`; absent = none: new machines are spread over the cloud's zones. */
  readonly directive?: string;
  /** Whether it is asked for only when the application no longer waits. */
  readonly waits: boolean;
}
