/** The model that a bundle is compared with, and the charms of the bundle. */
import type { Base } from '../base.ts';
import type { ConfigOptions } from '../charm/config.ts';
import type { CharmMeta } from '../charm/metadata.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import type { Life } from '../life.ts';
import type { RemoteEndpoint } from '../remote-application/document.ts';
import type { RequiringApplication } from '../requirements/graph.ts';
import type { RequireMode } from '../requirements/requirement.ts';
import type { Bundle } from './bundle.ts';

export interface BundleModel {
  /** The model as export-bundle shows it: machines by their ids, `to` with one placement per unit in order. */
  readonly state: Bundle;
  /** Applications that are being removed; `state` may omit them. */
  readonly dying: readonly string[];
  /** Principal units by application, in the order of their numbers. */
  readonly units: Readonly<Record<string, readonly ModelUnit[]>>;
  /** All machines, containers included. */
  readonly machines: Readonly<Record<string, ModelMachine>>;
  /** Relations, without peer relations. */
  readonly relations: readonly ModelRelation[];
  /** Endpoints of consumed applications (SAAS) that relations may be made with, by the applications' names. */
  readonly saas: Readonly<Record<string, readonly RemoteEndpoint[]>>;
  /** UUIDs of the offers of these, where the controller tells them. */
  readonly consumed?: Readonly<Record<string, string>>;
  /** Relations that consumers have with each offer of the model; without an entry: none. */
  readonly connections: Readonly<Record<string, number>>;
  readonly requirements: Readonly<Record<string, RequiringApplication>>;
  readonly requireMode: RequireMode;
  /** The model's `default-base`. */
  readonly defaultBase?: Base;
  /** Bases that the model's cloud offers; absent = unknown. */
  readonly bases?: readonly Base[];
}

export interface ModelRelation {
  readonly endpoints: readonly RelationEndpoint[];
  /** Set when the relation is being removed. */
  readonly dying?: true;
}

export interface ModelUnit {
  readonly name: string;
  /** The unit's machine; absent while it is not placed. */
  readonly machine?: string;
  /** Set when the unit is being removed. */
  readonly dying?: true;
}

export interface ModelMachine {
  readonly life: Life;
  readonly base: Base;
  readonly annotations: Readonly<Record<string, string>>;
  /** The zone of the cloud that it is in; absent = unknown. */
  readonly zone?: string;
}

/** The charm that an application of the bundle runs, or will run. */
export interface BundleCharm {
  readonly meta: CharmMeta;
  readonly config: ConfigOptions;
  readonly bases: readonly Base[];
  /** The charm's URL in the model; absent: it has to be uploaded. */
  readonly url?: string;
  /** Set when this charm is the one that the application runs and keeps, although the bundle names another. */
  readonly differs?: true;
  /** The URL of the charm that the application runs, which this one is to replace. */
  readonly replaces?: string;
}

/** The model without the units that are being removed: what is asked for is beside these. */
export function withoutDyingUnits(model: BundleModel): BundleModel {
  const units = Object.entries(model.units).map(([name, all]) => [name, all.filter(({ dying }) => !dying)]);
  return { ...model, units: Object.fromEntries(units) as BundleModel['units'] };
}

/** The value of `--map-machines`. */
export interface MachineMap {
  /** Whether machines of the bundle are those of the model with the same number. */
  readonly existing: boolean;
  /** Number in the bundle → id in the model. */
  readonly pairs: Readonly<Record<string, string>>;
}

export const noMachineMap: MachineMap = { existing: false, pairs: {} };
