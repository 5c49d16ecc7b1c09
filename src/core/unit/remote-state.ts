/** What the world wants of a unit now: a snapshot of its agent's mirror, with what the agent's timers say. */
import type { Impediment } from '../impediments.ts';
import type { Life } from '../life.ts';

export interface RemoteState {
  /** The unit's own name. */
  readonly unit: string;
  readonly life: Life;
  readonly applicationLife: Life;
  /** The principal's application; '' for principals. */
  readonly principalApplication: string;
  readonly charmUrl: string;
  /** Over configuration, trust and addresses; never ''. */
  readonly configHash: string;
  /** The unit holds its application's lease. */
  readonly leader: boolean;
  readonly leaderSettingsVersion: number;
  readonly bootId: string;
  readonly resolved: '' | 'retry-hooks' | 'no-hooks';
  /** The time to try the failed hook again has come (never does when hooks are not retried by themselves). */
  readonly retryDue: boolean;
  readonly updateStatusDue: boolean;
  /** What keeps it from being dead; of an alive unit nobody asks. */
  readonly impediments: readonly Impediment[];
  readonly subordinates: readonly { readonly name: string; readonly life: Life }[];
  /** By relation id. */
  readonly relations: Readonly<Record<string, RemoteRelation>>;
}

export interface RemoteRelation {
  readonly life: Life;
  readonly suspended: boolean;
  /** The unit's own endpoint. */
  readonly endpoint: string;
  readonly peer: boolean;
  readonly container: boolean;
  readonly remoteApplication: string;
  /** Units that this one sees, without itself and those that depart → version of their databag. */
  readonly members: Readonly<Record<string, number>>;
  /** The remote application (for peers: the own one) → version of its databag; 0 = never written. */
  readonly apps: Readonly<Record<string, number>>;
  /** The controller has the unit in its scope, whatever the unit itself remembers. */
  readonly inScope: boolean;
  /** Its scope cannot be entered now; asked again later. */
  readonly deferred: boolean;
}
