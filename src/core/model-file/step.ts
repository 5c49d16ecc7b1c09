/** Steps that make a model what a model file says: those of its bundle, those for the model itself, and removals. */
import type { LevelOf } from '../access/levels.ts';
import type { Base } from '../base.ts';
import type { BundleApplication } from '../bundle/bundle.ts';
import type { BundleStep } from '../bundle/step.ts';
import type { Constraints } from '../constraints.ts';
import type { ModelConfigValue } from '../model/config.ts';
import type { FilePool } from './model-file.ts';

export type ModelStep =
  | BundleStep
  /** Sets values of the model's configuration. */
  | { readonly kind: 'set-settings'; readonly values: Readonly<Record<string, ModelConfigValue>> }
  | { readonly kind: 'set-model-constraints'; readonly constraints: Constraints }
  | SetAccessStep
  | SetPoolStep
  | SetSecretStep
  | { readonly kind: 'grant-secret'; readonly secret: string; readonly application: string }
  /** Sets the base of an application's later units. */
  | { readonly kind: 'set-base'; readonly application: string; readonly base: Base }
  | RestoreCharmStep
  | RestoreResourceStep
  | RemovalStep;

/** Gives the model a charm again that it had at the revision. */
interface RestoreCharmStep {
  readonly kind: 'restore-charm';
  readonly url: string;
  readonly revision: number;
}

/** Gives an application the content of a resource again that it had at the revision. */
interface RestoreResourceStep {
  readonly kind: 'restore-resource';
  readonly application: string;
  readonly resource: string;
  readonly revision: number;
}

/** Gives a user access to the model, or changes it. */
export interface SetAccessStep {
  readonly kind: 'set-access';
  readonly user: string;
  readonly access: LevelOf<'model'>;
  /** The access that the user has now; absent = none. */
  readonly was?: LevelOf<'model'>;
}

interface SetPoolStep extends FilePool {
  readonly kind: 'set-pool';
  readonly pool: string;
  /** Whether the model has the pool. */
  readonly changes: boolean;
}

/** Makes or changes a user's secret. Contents are in no step: whoever carries it out reads them from their sources. */
export interface SetSecretStep {
  readonly kind: 'set-secret';
  readonly secret: string;
  /** Whether the model has the secret. */
  readonly changes: boolean;
  /** The new description; absent = it stays. */
  readonly description?: string;
  /** Whether the content is set: from the file's sources. */
  readonly content: boolean;
}

export type RemovalStep =
  | {
      readonly kind: 'remove-application';
      readonly application: string;
      /** Why another application takes its place, which the following steps deploy once this one is gone. */
      readonly replaced?: string;
    }
  | { readonly kind: 'remove-units'; readonly application: string; readonly units: readonly string[] }
  | { readonly kind: 'remove-relation'; readonly endpoints: readonly [string, string] }
  | {
      readonly kind: 'remove-offer';
      readonly offer: string;
      /** Why it is made anew by a following step, for another application. */
      readonly replaced?: string;
    }
  | {
      readonly kind: 'revoke-offer';
      readonly offer: string;
      readonly user: string;
      readonly was: LevelOf<'offer'>;
      /** The lower access that the user keeps; absent = none. */
      readonly to?: LevelOf<'offer'>;
    }
  | { readonly kind: 'remove-saas'; readonly saas: string }
  /** A machine without units. */
  | { readonly kind: 'remove-machine'; readonly machine: string }
  | { readonly kind: 'remove-secret'; readonly secret: string }
  | { readonly kind: 'revoke-secret'; readonly secret: string; readonly application: string }
  | { readonly kind: 'remove-pool'; readonly pool: string }
  | { readonly kind: 'remove-access'; readonly user: string; readonly was: LevelOf<'model'> }
  /** Gives settings of the model their defaults again. */
  | { readonly kind: 'reset-settings'; readonly names: readonly string[] }
  /** Gives options of the charm, and `trust`, their defaults again. */
  | { readonly kind: 'reset-options'; readonly application: string; readonly options: readonly string[] }
  | { readonly kind: 'reset-constraints'; readonly application: string }
  | { readonly kind: 'reset-model-constraints' }
  | { readonly kind: 'reset-after'; readonly application: string }
  | {
      readonly kind: 'reset-bindings';
      readonly application: string;
      /** Endpoint → the space that it has without a binding of its own. */
      readonly bindings: BundleApplication['bindings'];
    }
  /** Machines by their ids in the model. */
  | {
      readonly kind: 'reset-annotations';
      readonly on: { readonly application: string } | { readonly machine: string };
      readonly keys: readonly string[];
    }
  | { readonly kind: 'reset-description'; readonly secret: string }
  /** Absent endpoints = the application is not exposed any more. */
  | { readonly kind: 'unexpose'; readonly application: string; readonly endpoints?: readonly string[] };
