/** Steps that make a model have what a bundle says; a step may refer to the results of earlier ones. */
import type { LevelOf } from '../access/levels.ts';
import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { RollingRequest } from '../rollout/rollout.ts';
import type { BundleApplication } from './bundle.ts';

export type BundleStep =
  | { readonly kind: 'upload'; readonly path: string }
  | DeployStep
  | { readonly kind: 'attach'; readonly application: string; readonly resource: string }
  | RefreshStep
  | { readonly kind: 'set-options'; readonly application: string; readonly options: BundleOptions }
  | { readonly kind: 'set-constraints'; readonly application: string; readonly constraints: Constraints }
  | SetAfterStep
  | BindStep
  | {
      readonly kind: 'expose';
      readonly application: string;
      readonly endpoints?: NonNullable<BundleApplication['exposedEndpoints']>;
    }
  | OfferStep
  | {
      readonly kind: 'grant';
      readonly offer: string;
      readonly user: string;
      readonly access: LevelOf<'offer'>;
    }
  /** `saas`: the name under which an offer is consumed. */
  | { readonly kind: 'consume'; readonly saas: string; readonly url: string }
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

/** Makes an offer of endpoints of an application, or changes the offer of that name. */
export interface OfferStep {
  readonly kind: 'offer';
  readonly application: string;
  readonly offer: string;
  readonly endpoints: readonly string[];
  /** Whether the model has the offer. */
  readonly changes: boolean;
}

/** Gives an application of the model another charm. */
export interface RefreshStep {
  readonly kind: 'refresh';
  readonly application: string;
  readonly charm: DeployStep['charm'];
  /** How units are upgraded in batches; absent = all at once. */
  readonly rolling?: RollingRequest;
}

/** Replaces what an application of the model comes after. */
interface SetAfterStep {
  readonly kind: 'set-after';
  readonly application: string;
  readonly after: NonNullable<BundleApplication['after']>;
}

/** Binds endpoints of an application of the model to other spaces. */
interface BindStep {
  readonly kind: 'bind';
  readonly application: string;
  /** All bindings of the bundle, so that a changed default ('') moves none of these endpoints. */
  readonly bindings: BundleApplication['bindings'];
}

/** Deploys an application without units: its units come after its relations. */
export interface DeployStep {
  readonly kind: 'deploy';
  readonly application: string;
  /** The path of an `upload`, or the URL of a charm that the model has. */
  readonly charm: { readonly path: string } | { readonly url: string };
  readonly base: Base;
  readonly options: BundleOptions;
  readonly constraints: Constraints;
  readonly bindings: Readonly<Record<string, string>>;
  readonly require: readonly string[];
  /** Gates; absent = none. */
  readonly after?: NonNullable<BundleApplication['after']>;
  /** Resources whose contents are sent along; value as in BundleApplication. Absent = none. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Storage directives; absent = the charm's minimum of each storage. */
  readonly storage?: NonNullable<BundleApplication['storage']>;
}

export interface AddMachineStep {
  readonly kind: 'add-machine';
  /** The id by which other steps refer to this one. */
  readonly id: string;
  /** The purpose of the machine: a number of the bundle's `machines`, or a unit that others are placed on. */
  readonly for: { readonly machine: string } | { readonly unit: UnitRef };
  readonly at: UnitPlacement;
  readonly base: Base;
  readonly constraints: Constraints;
  /** Annotations set when the machine is made, by which the machine is found again after the client was killed. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface AddUnitStep {
  readonly kind: 'add-unit';
  readonly unit: UnitRef;
  readonly at: UnitPlacement;
  /** Whether the application's requirements are not met by what the model and the bundle have. */
  readonly waits: boolean;
}

/** A unit by its position among its application's units, which is its number in a model that never had others. */
export interface UnitRef {
  readonly application: string;
  readonly index: number;
}

export interface UnitPlacement {
  /** The type of a container there. */
  readonly container?: string;
  readonly on:
    | { readonly kind: 'new' }
    /** A directive for the provider. */
    | { readonly kind: 'directive'; readonly directive: string }
    | MachineRef;
}

export type MachineRef =
  | { readonly kind: 'machine'; readonly id: string }
  /** The machine made by the `add-machine` step of this id. */
  | { readonly kind: 'made'; readonly step: string }
  /** The machine of this unit, which an earlier step added. */
  | { readonly kind: 'of-unit'; readonly unit: UnitRef };

/** The annotation that names the bundle's machine that a machine was made for. */
export const machineAnnotation = 'bundle-machine';
