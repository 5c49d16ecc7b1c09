/**
 * What a unit agent has done so far. Plain JSON: it is saved at the controller before and after each step, so that an
 * agent that is killed anywhere continues where it was (unit-agent.md#saved-state).
 */
export interface LocalState {
  readonly installed: boolean;
  readonly started: boolean;
  readonly stopped: boolean;
  readonly removed: boolean;
  /** The charm has been told that it leads. */
  readonly leader: boolean;
  /** What lies in the charm folder; '' before the first deployment. */
  readonly charmUrl: string;
  /** What the last config-changed saw: configuration, trust and addresses. '' before the first. */
  readonly configHash: string;
  /** The leader settings that the charm has been told of. */
  readonly leaderSettingsVersion: number;
  /** The boot in which `start` last ran. */
  readonly bootId: string;
  /** The charm has set its workload's status: the agent's own words are not for it any more. */
  readonly statusSet: boolean;
  readonly op: PendingOp;
  /** By relation id. There from entering its scope until it is left. */
  readonly relations: Readonly<Record<string, LocalRelation>>;
}

/**
 * Juju has a third step, `done`, between running a hook and forgetting it. Here a hook's effects and the state after
 * it are one transaction (CommitHook), so there is nothing between.
 */
export type PendingOp =
  | { readonly kind: 'continue' }
  /** The charm folder is being filled. */
  | { readonly kind: 'deploy'; readonly charmUrl: string; readonly upgrade: boolean }
  /** Must run next. */
  | { readonly kind: 'hook'; readonly step: 'queued'; readonly hook: Hook }
  /**
   * It was started; `hookId` names it at the controller, so that it commits once. `failures` counts its failed
   * runs: with 0, the agent that ran it was killed.
   */
  | {
      readonly kind: 'hook';
      readonly step: 'pending';
      readonly hook: Hook;
      readonly hookId: string;
      readonly failures: number;
      /** What people should know about the last failure besides that the hook failed. */
      readonly why?: string;
    };

export interface LocalRelation {
  /** The unit's own endpoint. */
  readonly endpoint: string;
  /** relation-created ran. */
  readonly created: boolean;
  /** Units that joined → the version of their databag that the charm has been told of. */
  readonly members: Readonly<Record<string, number>>;
  readonly apps: Readonly<Record<string, number>>;
  /** Has joined; its first relation-changed comes before any other hook of this relation. */
  readonly changedPending: string;
  /** Counterparts have been told that this unit goes. */
  readonly leaving: boolean;
  /** relation-broken ran. */
  readonly broken: boolean;
}

export type UnitHookKind =
  | 'install'
  | 'leader-elected'
  | 'leader-settings-changed'
  | 'config-changed'
  | 'start'
  | 'update-status'
  | 'upgrade-charm'
  | 'stop'
  | 'remove';
export type RelationHookKind =
  'relation-created' | 'relation-joined' | 'relation-changed' | 'relation-departed' | 'relation-broken';

export type Hook = UnitHook | RelationHook;

export interface UnitHook {
  readonly kind: UnitHookKind;
}

export interface RelationHook {
  readonly kind: RelationHookKind;
  readonly relation: number;
  readonly endpoint: string;
  readonly remoteApplication: string;
  /** Absent in created, broken and application-level changed. */
  readonly remoteUnit?: string;
  /** In departed: who goes, as far as its own life tells. */
  readonly departingUnit?: string;
  /** In joined and changed: the version of the databag that the hook tells of. */
  readonly version?: number;
}

export const newLocalState: LocalState = {
  installed: false,
  started: false,
  stopped: false,
  removed: false,
  leader: false,
  charmUrl: '',
  configHash: '',
  leaderSettingsVersion: 0,
  bootId: '',
  statusSet: false,
  op: { kind: 'continue' },
  relations: {},
};

/** `install`, `db-relation-joined` */
export function hookName(hook: Hook): string {
  return 'relation' in hook ? `${hook.endpoint}-${hook.kind}` : hook.kind;
}
