import type { Base } from '../base.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import { closedGates, type Gates } from '../gates/gate.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import type { Made, SetBy } from '../model-file/ownership.ts';
import { ofModel } from '../quota.ts';
import type { Rollout } from '../rollout/rollout.ts';
import type { Missing } from '../requirements/requirement.ts';
import type { StorageWishes } from '../storage/check-storage.ts';
import { describeApplication } from './history.ts';

/** An application. Model space; id = application name. */
export interface ApplicationDoc extends Ending, Made {
  readonly name: string;
  readonly life: Life;
  readonly charmUrl: string;
  /**
   * Version that grows with each change that makes the units deploy the same charm again, such as a new resource.
   * Absent = 0.
   */
  readonly charmModifiedVersion?: number;
  /**
   * The highest charmModifiedVersion that there ever was, set when a rollback has returned to a lower one: no version
   * is used twice.
   */
  readonly highestModifiedVersion?: number;
  /** Set by refresh --force-units: units whose hook has failed take the charm, too. */
  readonly forceCharm?: true;
  /** Charms that units still run since a refresh → the values of options that these units keep. */
  readonly older?: Readonly<Record<string, Readonly<Record<string, ConfigValue>>>>;
  /**
   * Set while units are released to the charm in batches, and while an aborted roll-out keeps some units from the
   * charm.
   */
  readonly rollout?: Rollout;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  readonly base: Base;
  readonly subordinate: boolean;
  readonly constraints: Constraints;
  /** Values that were set; the charm's defaults are merged when read. */
  readonly config: Readonly<Record<string, ConfigValue>>;
  /** Values of the document that model files have set. */
  readonly setBy?: SetBy;
  readonly trust: boolean;
  /** Endpoint ('' = all) → who may reach its open ports. Absent = not exposed. */
  readonly exposed?: Readonly<
    Record<string, { readonly cidrs: readonly string[]; readonly spaces: readonly string[] }>
  >;
  readonly endpointBindings: Readonly<Record<string, string>>;
  /** Storage that each new unit gets; absent when the charm has none. */
  readonly storage?: StorageWishes;
  /** Set while the application is dying, when the storage of its units is destroyed with them. */
  readonly destroyStorage?: true;
  readonly workloadVersion: string;
  readonly createdAt: string;
  /** Endpoints that are required whatever the charm and the model declare: `deploy --require`. */
  readonly require?: readonly string[];
  /** Applications whose health is waited for: `deploy --after`. */
  readonly after?: Gates;
  /** Set while a requirement is not satisfied or a gate is closed: units without a machine wait (core/requirements/settle.ts). */
  readonly pending?: Pending;
}

export interface Pending {
  /** RFC 3339. */
  readonly since: string;
  readonly missing: readonly Missing[];
}

export const application = defineKind<ApplicationDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: {
    /** The charm that new units run, those that units have not yet left, and the one that a rollback needs. */
    charm: ({ charmUrl, older, rollout }) =>
      older || rollout
        ? [...new Set([charmUrl, ...Object.keys(older ?? {}), ...(rollout ? [rollout.before.charmUrl] : [])])]
        : charmUrl,
    /** Contents of resources that a rollback needs. */
    sha256: ({ rollout }) => rollout?.before.resources.map(({ sha256 }) => sha256),
    rollout: ({ rollout }) => rollout && 'rollout',
    life: (doc) => doc.life,
    force: isForced,
    pending: (doc) => (doc.pending ? 'pending' : undefined),
    /** Applications that closed gates wait for. */
    after: ({ after }) => after && closedGates(after).map(({ application }) => application),
  },
  quota: {
    measures: [
      { limit: limits.applicationConfig, members: ['config'] },
      { limit: limits.olderConfigs, members: ['older'] },
      { limit: limits.rollout, members: ['rollout'] },
      { limit: limits.gates, members: ['after'] },
    ],
    counts: [{ limit: limits.applications, ...ofModel }],
  },
  upkeep: 'old',
  describe: describeApplication,
});
