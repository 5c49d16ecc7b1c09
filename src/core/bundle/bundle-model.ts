/** A model as a bundle is compared with it, and what is known of the bundle's charms. */
import type { Base } from '../base.ts';
import type { ConfigOptions } from '../charm/config.ts';
import type { CharmMeta } from '../charm/metadata.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import type { Life } from '../life.ts';
import type { RequiringApplication } from '../requirements/graph.ts';
import type { RequireMode } from '../requirements/requirement.ts';
import type { Bundle } from './bundle.ts';

export interface BundleModel {
  /** As export-bundle shows it: machines by their ids, `to` with one placement for each unit in order. */
  readonly state: Bundle;
  /** Applications that are being removed; `state` may be without them. */
  readonly dying: readonly string[];
  /** Principal units by application, in the order of their numbers. */
  readonly units: Readonly<Record<string, readonly ModelUnit[]>>;
  /** Containers too. */
  readonly machines: Readonly<Record<string, ModelMachine>>;
  /** Without peers. */
  readonly relations: readonly { readonly endpoints: readonly RelationEndpoint[] }[];
  readonly requirements: Readonly<Record<string, RequiringApplication>>;
  readonly requireMode: RequireMode;
  /** Its `default-base`. */
  readonly defaultBase?: Base;
  /** Those that its cloud really has; absent = unknown. */
  readonly bases?: readonly Base[];
}

export interface ModelUnit {
  readonly name: string;
  /** Absent while it is not placed. */
  readonly machine?: string;
}

export interface ModelMachine {
  readonly life: Life;
  readonly base: Base;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The charm that an application of the bundle runs, or will. */
export interface BundleCharm {
  readonly meta: CharmMeta;
  readonly config: ConfigOptions;
  readonly bases: readonly Base[];
  /** In the model; absent: it is to be uploaded. */
  readonly url?: string;
  /** The bundle has another than what the application runs. */
  readonly differs?: true;
}

/** `--map-machines`. */
export interface MachineMap {
  /** Machines of the bundle that have the number of one of the model are that one. */
  readonly existing: boolean;
  /** Number in the bundle → id in the model. */
  readonly pairs: Readonly<Record<string, string>>;
}

export const noMachineMap: MachineMap = { existing: false, pairs: {} };
