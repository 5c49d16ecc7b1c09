/**
 * A bundle after parsing (parse-bundle.ts), with overlays merged and relative names resolved. A model's state is shown
 * in the same form (export-bundle.ts), so that deploying, comparing and exporting share one type.
 */
import type { LevelOf } from '../access/levels.ts';
import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { RollingRequest } from '../rollout/rollout.ts';
import type { StorageDirective } from '../storage/directive.ts';

export interface Bundle {
  readonly name?: string;
  readonly description?: string;
  /** The base of applications and machines that name none. */
  readonly defaultBase?: Base;
  /** Offers of other models, by the names under which they are consumed. Absent = none. */
  readonly saas?: Readonly<Record<string, BundleSaas>>;
  readonly applications: Readonly<Record<string, BundleApplication>>;
  /** Machines by their number in the bundle: `0`. */
  readonly machines: Readonly<Record<string, BundleMachine>>;
  readonly relations: readonly BundleRelation[];
}

export interface BundleApplication {
  /** The charm as written: `./mysql`, `/charms/mysql.charm`, `local:mysql-0` (one that the model has). */
  readonly charm: string;
  readonly channel?: string;
  readonly revision?: number;
  readonly base?: Base;
  /** Number of units; 0 for subordinates. */
  readonly units: number;
  /** One placement per unit in order; the last holds for the rest. */
  readonly to: readonly BundlePlacement[];
  /** Options that are set, without the charm's defaults. */
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
  /** Contents of resources: paths of files, or names of images. Absent = none. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Storage of each unit by its name in the charm. Absent = none is asked for. */
  readonly storage?: Readonly<Record<string, StorageDirective>>;
  /** Offers of the application's endpoints, by name. Absent = none. */
  readonly offers?: Readonly<Record<string, BundleOffer>>;
  /** grigri's own key: endpoints that are required for this application, as with `deploy --require`. */
  readonly require: readonly string[];
  /** grigri's own key: application → the health that it must have had first, as with `deploy --after`. Absent = none. */
  readonly after?: Readonly<Record<string, string>>;
  /** grigri's own key: how units are upgraded in batches when the charm changes. Absent = all at once. */
  readonly refresh?: RollingRequest;
}

export interface BundleSaas {
  /** `[controller:][owner/]model.offer` */
  readonly url: string;
}

export interface BundleOffer {
  readonly endpoints: readonly string[];
  /** User → access. */
  readonly acl: Readonly<Record<string, LevelOf<'offer'>>>;
}

export interface BundleMachine {
  readonly base?: Base;
  readonly constraints: Constraints;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A placement: `lxd:mysql/0`, `3`, `new`, `mysql`, `zone=z1`. */
export interface BundlePlacement {
  /** The type of the container in which the unit is placed there: `lxd`. */
  readonly container?: string;
  readonly on:
    | { readonly kind: 'new' }
    | { readonly kind: 'machine'; readonly machine: string }
    /**
     * The machine of the application's unit of that number; without a number, of its next unit that is not used yet.
     */
    | { readonly kind: 'unit'; readonly application: string; readonly unit?: number }
    /** A directive for the provider. */
    | { readonly kind: 'directive'; readonly directive: string };
}

/** Two ends, each `mysql` or `mysql:server`. */
export type BundleRelation = readonly [string, string];
