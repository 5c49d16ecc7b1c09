/** The result of planning a model file: what would be done, what it would take, and what stays as it is. */
import type { LevelOf } from '../access/levels.ts';
import type { Base } from '../base.ts';
import type { BundleModel } from '../bundle/bundle-model.ts';
import type { BundlePlan, Difference } from '../bundle/plan-bundle.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import type { FilePool } from './model-file.ts';
import type { OwnedThings } from './owned.ts';
import type { ModelStep, RemovalStep } from './step.ts';

/** The model that a file is compared with. */
export interface LiveModel {
  readonly bundle: BundleModel;
  /** Names and values of the model's configuration that were set. */
  readonly settings: Readonly<Record<string, ConfigValue>>;
  readonly constraints: Constraints;
  readonly access: Readonly<Record<string, LevelOf<'model'>>>;
  readonly secrets: Readonly<Record<string, LiveSecret>>;
  readonly storagePools: Readonly<Record<string, FilePool>>;
  /** What this file made. */
  readonly owned: OwnedThings;
}

export interface LiveSecret {
  readonly description: string;
  /** SHA-256 of the newest content (checksumText), in hex. */
  readonly checksum: string;
  /** Applications that may read the secret. */
  readonly grants: readonly string[];
}

export interface ModelPlan {
  /** The steps, in the order in which they may be carried out. */
  readonly steps: readonly ModelStep[];
  /** Removals of what this file made and no longer names, which wait for `--prune`; none are left when it is given. */
  readonly unpruned: readonly RemovalStep[];
  /** Differences that no step makes even. */
  readonly differences: readonly Difference[];
  /** Applications that need another in their place, which `--replace` does not allow: the plan cannot be applied. */
  readonly refused: readonly { readonly application: string; readonly why: string }[];
  /** What waits after all steps, and for what. */
  readonly waits: BundlePlan['waits'];
  /** Machines that the cloud would be asked for. */
  readonly machines: readonly MachineAsked[];
  /** The bundle's part of the plan, which whoever carries the steps out needs for their machines. */
  readonly bundle: BundlePlan;
}

/** A machine that the steps make. */
export interface MachineAsked {
  /** What it is for: `web/0`, `machine 2`. */
  readonly for: string;
  readonly base: Base;
  /** The application's or the machine's constraints over the model's. */
  readonly constraints: Constraints;
  /** The host, when the machine is a container; `new` for one that is made, too. */
  readonly container?: { readonly type: string; readonly on: string };
  /** A directive for the cloud, such as `zone=z1`; absent: the cloud's zones are used in turn. */
  readonly directive?: string;
  /** Whether it is asked for only when the application no longer waits. */
  readonly waits: boolean;
}
