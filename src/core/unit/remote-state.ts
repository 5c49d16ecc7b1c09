/** The wanted state of a unit: a snapshot of its agent's mirror, with the state of the agent's timers. */
import type { Impediment } from '../impediments.ts';
import type { Life } from '../life.ts';

export interface RemoteState {
  /** The unit's own name. */
  readonly unit: string;
  readonly life: Life;
  /** Whether the unit, or an entity that it goes with, is removed by force. */
  readonly forced: boolean;
  readonly applicationLife: Life;
  /** The principal's application; '' for principals. */
  readonly principalApplication: string;
  /** The charm that the unit is to run. */
  readonly charmUrl: string;
  /** Version that grows when the unit is to deploy the same charm again. */
  readonly charmModifiedVersion: number;
  /** Whether another charm is deployed even while a failed hook waits. */
  readonly forceCharm: boolean;
  /** Whether the charm asks for an LXD profile that the machine does not have yet. */
  readonly profileAway: boolean;
  /** Hash over configuration, trust and addresses; never ''. */
  readonly configHash: string;
  /** Whether the unit holds its application's lease. */
  readonly leader: boolean;
  readonly leaderSettingsVersion: number;
  readonly bootId: string;
  readonly resolved: '' | 'retry-hooks' | 'no-hooks';
  /** Whether the failed hook is due for a retry; never true when hooks are not retried automatically. */
  readonly retryDue: boolean;
  readonly updateStatusDue: boolean;
  /** Impediments that keep a dying unit from being dead; not read for an alive unit. */
  readonly impediments: readonly Impediment[];
  readonly subordinates: readonly { readonly name: string; readonly life: Life }[];
  /** Relations by id. */
  readonly relations: Readonly<Record<string, RemoteRelation>>;
  /** The unit's storage by id. */
  readonly storage: Readonly<Record<string, RemoteStorage>>;
  /**
   * Secrets by id with which the unit may have something to do; all others are as the unit knows them. No copy, as
   * there may be 20,000: it changes as the mirror does.
   */
  readonly secrets: ReadonlyMap<string, RemoteSecret>;
}

interface RemoteStorage {
  readonly name: string;
  readonly life: 'alive' | 'dying';
  /** Whether the storage can be used. */
  readonly mounted: boolean;
}

export interface RemoteSecret {
  /** The name by which the unit knows the secret; '' = none. */
  readonly label: string;
  /** The owner of the secret: the unit or its application; '' = another one, or the model. */
  readonly owner: '' | 'unit' | 'application';
  /** The revision that the unit tracks; 0 = the unit has not read the secret. */
  readonly tracked: number;
  readonly latest: number;
  /** Obsolete revisions, for the owner. */
  readonly obsolete: readonly number[];
  /** When the rotation was due that the owner has to do; '' = there is no such rotation. */
  readonly rotating: string;
  /** Revisions that have expired, for the owner, with the time that this was due at. */
  readonly expiring: readonly { readonly revision: number; readonly due: string }[];
}

export interface RemoteRelation {
  readonly life: Life;
  /** Whether the relation is removed by force. */
  readonly forced: boolean;
  readonly suspended: boolean;
  /** The unit's own endpoint. */
  readonly endpoint: string;
  readonly peer: boolean;
  readonly container: boolean;
  readonly remoteApplication: string;
  /** Units that this unit sees, without itself and those that depart → version of their databag. */
  readonly members: Readonly<Record<string, number>>;
  /** The remote application (for peers: the unit's own) → version of its databag; 0 = never written. */
  readonly apps: Readonly<Record<string, number>>;
  /** Whether the controller has the unit in the relation's scope, whatever the unit itself remembers. */
  readonly inScope: boolean;
  /** Whether others do not see the unit in the scope any more: the scope is to be left, whatever comes meanwhile. */
  readonly departing: boolean;
  /** Whether the scope cannot be entered now and entering is to be tried again later. */
  readonly deferred: boolean;
}
