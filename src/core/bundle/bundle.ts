/**
 * A bundle as it is understood: parsed (parse-bundle.ts), overlays merged in, relative names made whole. Also how a
 * model's state is shown as one (export-bundle.ts), so that deploying, comparing and exporting speak of one thing.
 */
import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';

export interface Bundle {
  readonly name?: string;
  readonly description?: string;
  /** For applications and machines that name none. */
  readonly defaultBase?: Base;
  readonly applications: Readonly<Record<string, BundleApplication>>;
  /** By the number that the bundle gives them: `0`. */
  readonly machines: Readonly<Record<string, BundleMachine>>;
  readonly relations: readonly BundleRelation[];
}

export interface BundleApplication {
  /** As written: `./mysql`, `/charms/mysql.charm`, `local:mysql-0` (one that the model has). */
  readonly charm: string;
  readonly channel?: string;
  readonly revision?: number;
  readonly base?: Base;
  /** 0 for subordinates. */
  readonly units: number;
  /** One for each unit in order; the last holds for the rest. */
  readonly to: readonly BundlePlacement[];
  /** What is set, not the charm's defaults. */
  readonly options: Readonly<Record<string, ConfigValue>>;
  readonly constraints: Constraints;
  readonly annotations: Readonly<Record<string, string>>;
  readonly exposed: boolean;
  /** Endpoint ('' = all) → who may reach it; only with `exposed`. */
  readonly exposedEndpoints?: Readonly<
    Record<string, { readonly cidrs: readonly string[]; readonly spaces: readonly string[] }>
  >;
  readonly bindings: Readonly<Record<string, string>>;
  readonly trust: boolean;
  /** Our own key: endpoints that are required for this application, as with `deploy --require`. */
  readonly require: readonly string[];
}

export interface BundleMachine {
  readonly base?: Base;
  readonly constraints: Constraints;
  readonly annotations: Readonly<Record<string, string>>;
}

/** `lxd:mysql/0`, `3`, `new`, `mysql`, `zone=z1` */
export interface BundlePlacement {
  /** A container of this type on it: `lxd`. */
  readonly container?: string;
  readonly on:
    | { readonly kind: 'new' }
    | { readonly kind: 'machine'; readonly machine: string }
    /** Where the application's unit of that number is; without a number: the next that is not used yet. */
    | { readonly kind: 'unit'; readonly application: string; readonly unit?: number }
    /** For the provider. */
    | { readonly kind: 'directive'; readonly directive: string };
}

/** Two ends, each `mysql` or `mysql:server`. */
export type BundleRelation = readonly [string, string];
