/**
 * The progress of a unit agent. Plain JSON: it is saved at the controller before and after each step, so that an agent
 * that is killed at any point continues where it was (unit-agent.md#saved-state).
 */
export interface LocalState {
  readonly installed: boolean;
  readonly started: boolean;
  readonly stopped: boolean;
  readonly removed: boolean;
  /** Whether the charm knows that the unit is leader. */
  readonly leader: boolean;
  /** The charm in the charm folder; '' before the first deployment. */
  readonly charmUrl: string;
  /** The application's charmModifiedVersion when the charm was deployed last. */
  readonly charmModifiedVersion: number;
  /** Hash of what the last config-changed saw: configuration, trust and addresses. '' before the first. */
  readonly configHash: string;
  /** The version of the leader settings that the charm knows. */
  readonly leaderSettingsVersion: number;
  /** The boot in which `start` last ran. */
  readonly bootId: string;
  /** Whether the charm has set its workload status; the agent no longer sets it then. */
  readonly statusSet: boolean;
  readonly op: PendingOp;
  /** Relations by id, from entering their scope until leaving it. */
  readonly relations: Readonly<Record<string, LocalRelation>>;
  /** Ids of the storage that the charm knows to be attached. */
  readonly storage: readonly string[];
  /** Secrets about which the charm was told something, by id. */
  readonly secrets: Readonly<Record<string, LocalSecret>>;
  /** Number of hooks that were committed: after a restore it tells how many are newer than the backup. */
  readonly committed: number;
}

/**
 * The operation under way. Juju has a third step, `done`, between running a hook and forgetting it; here a hook's
 * effects and the state after it are one transaction (CommitHook), so there is nothing in between.
 */
export type PendingOp =
  | { readonly kind: 'continue' }
  /** The charm folder is being filled. `failed`: the hook that had failed, which stays the next one to run. */
  | {
      readonly kind: 'deploy';
      readonly charmUrl: string;
      readonly upgrade: boolean;
      readonly failed?: PendingHook;
    }
  /** The hook must run next. */
  | { readonly kind: 'hook'; readonly step: 'queued'; readonly hook: Hook }
  | PendingHook;

/**
 * A hook that was started; `hookId` identifies it at the controller, so that it commits once. `failures` counts its
 * failed runs: with 0, the agent that ran it was killed.
 */
interface PendingHook {
  readonly kind: 'hook';
  readonly step: 'pending';
  readonly hook: Hook;
  readonly hookId: string;
  readonly failures: number;
  /** Details of the last failure for the user, besides that the hook failed. */
  readonly why?: string;
  /** When it runs again by itself, in ms since 1970; absent = older agents do not save it. */
  readonly retryAt?: number;
}

export interface LocalRelation {
  /** The unit's own endpoint. */
  readonly endpoint: string;
  /** Whether relation-created ran. */
  readonly created: boolean;
  /** Units that joined → the version of their databag that the charm knows. */
  readonly members: Readonly<Record<string, number>>;
  readonly apps: Readonly<Record<string, number>>;
  /**
   * The unit that has joined and whose first relation-changed comes before any other hook of this relation; '' = none.
   */
  readonly changedPending: string;
  /** Whether counterparts know that this unit departs. */
  readonly leaving: boolean;
  /** Whether relation-broken ran. */
  readonly broken: boolean;
}

/** The charm's knowledge about a secret. */
export interface LocalSecret {
  /** The revision of the last secret-changed. */
  readonly known?: number;
  /** Revisions of which secret-remove ran. */
  readonly removed?: readonly number[];
  /** The due time of the last secret-rotate. */
  readonly rotated?: string;
  /** Revision → due time of the last secret-expired. */
  readonly expired?: Readonly<Record<string, string>>;
}

type UnitHookKind =
  | 'install'
  | 'leader-elected'
  | 'leader-settings-changed'
  | 'config-changed'
  | 'start'
  | 'update-status'
  | 'upgrade-charm'
  | 'stop'
  | 'remove';
type RelationHookKind =
  | 'relation-created'
  | 'relation-joined'
  | 'relation-changed'
  | 'relation-departed'
  | 'relation-broken';

export type Hook = UnitHook | RelationHook | StorageHook | SecretHook;

export interface StorageHook {
  readonly kind: 'storage-attached' | 'storage-detaching';
  /** Id of the storage, `data/0`, and its name in the charm's metadata. */
  readonly storage: string;
  readonly storageName: string;
}
type SecretHookKind = 'secret-expired' | 'secret-rotate' | 'secret-changed' | 'secret-remove';

interface UnitHook {
  readonly kind: UnitHookKind;
}

export interface RelationHook {
  readonly kind: RelationHookKind;
  readonly relation: number;
  readonly endpoint: string;
  readonly remoteApplication: string;
  /** The remote unit; absent in created, broken and application-level changed. */
  readonly remoteUnit?: string;
  /** The departing unit of a departed hook, as far as this unit's own life tells. */
  readonly departingUnit?: string;
  /** The version of the databag that a joined or changed hook reports. */
  readonly version?: number;
}

export interface SecretHook {
  readonly kind: SecretHookKind;
  readonly secret: string;
  /** The name by which the unit knows the secret; '' = none. */
  readonly label: string;
  /** The revision that is new, has expired or is obsolete; when it is to be rotated: the newest one. */
  readonly revision: number;
  /** The time that an expired or rotate hook was due at, by which it is answered once. */
  readonly due?: string;
}

export const newLocalState: LocalState = {
  installed: false,
  started: false,
  stopped: false,
  removed: false,
  leader: false,
  charmUrl: '',
  charmModifiedVersion: 0,
  configHash: '',
  leaderSettingsVersion: 0,
  bootId: '',
  statusSet: false,
  op: { kind: 'continue' },
  relations: {},
  storage: [],
  secrets: {},
  committed: 0,
};

/** The hook's name: `install`, `db-relation-joined`. */
export function hookName(hook: Hook): string {
  if ('storage' in hook) return `${hook.storageName}-${hook.kind}`;
  return 'relation' in hook ? `${hook.endpoint}-${hook.kind}` : hook.kind;
}
