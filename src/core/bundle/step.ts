/** What is to be done so that a model has what a bundle says; each step may name what an earlier one made. */
import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { BundleApplication } from './bundle.ts';

export type BundleStep =
  | { readonly kind: 'upload'; readonly path: string }
  | DeployStep
  | { readonly kind: 'set-options'; readonly application: string; readonly options: BundleOptions }
  | { readonly kind: 'set-constraints'; readonly application: string; readonly constraints: Constraints }
  | {
      readonly kind: 'expose';
      readonly application: string;
      readonly endpoints?: NonNullable<BundleApplication['exposedEndpoints']>;
    }
  | { readonly kind: 'integrate'; readonly endpoints: readonly [string, string] }
  | AddMachineStep
  | AddUnitStep
  | {
      readonly kind: 'annotate';
      readonly on: { readonly application: string } | { readonly machine: string };
      readonly annotations: Readonly<Record<string, string>>;
    };

/** The charm's options, and `trust`. */
export type BundleOptions = Readonly<Record<string, ConfigValue>>;

/** The application alone: its units come after its relations. */
export interface DeployStep {
  readonly kind: 'deploy';
  readonly application: string;
  /** The path of an `upload`, or the URL of one that the model has. */
  readonly charm: { readonly path: string } | { readonly url: string };
  readonly base: Base;
  readonly options: BundleOptions;
  readonly constraints: Constraints;
  readonly bindings: Readonly<Record<string, string>>;
  readonly require: readonly string[];
}

export interface AddMachineStep {
  readonly kind: 'add-machine';
  /** By what other steps name it. */
  readonly id: string;
  /** Whose it is: a number of the bundle's `machines`, or a unit that others are placed on. */
  readonly for: { readonly machine: string } | { readonly unit: UnitRef };
  readonly at: UnitPlacement;
  readonly base: Base;
  readonly constraints: Constraints;
  /** It has them from the beginning, so that it is found again after a client that was killed. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface AddUnitStep {
  readonly kind: 'add-unit';
  readonly unit: UnitRef;
  readonly at: UnitPlacement;
  /** Its application's requirements are not met by what the model and the bundle have. */
  readonly waits: boolean;
}

/** The unit that has this place among its application's, which is its number in a model that never had others. */
export interface UnitRef {
  readonly application: string;
  readonly index: number;
}

export interface UnitPlacement {
  /** In a container of this type there. */
  readonly container?: string;
  readonly on:
    | { readonly kind: 'new' }
    /** For the provider. */
    | { readonly kind: 'directive'; readonly directive: string }
    | MachineRef;
}

export type MachineRef =
  | { readonly kind: 'machine'; readonly id: string }
  /** Made by the `add-machine` step of this id. */
  | { readonly kind: 'made'; readonly step: string }
  /** The one that this unit got, which an earlier step added. */
  | { readonly kind: 'of-unit'; readonly unit: UnitRef };

/** The annotation that says which of a bundle's machines it is. */
export const machineAnnotation = 'bundle-machine';
