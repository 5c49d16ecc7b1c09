/**
 * Checks the order of a unit's hooks (unit-agent.md#life-order, unit-agent.md#relation-hook-order) from outside, by
 * its commits.
 */
import {
  hookName,
  type Hook,
  type LocalState,
  type PendingOp,
  type StorageHook,
} from '../../core/unit/local-state.ts';

type Pending = Extract<PendingOp, { step: 'pending' }>;

/** What a unit has committed, `hook` absent = a task; or a relation that is no longer suspended. */
type Entry = { readonly hookId: string; readonly hook?: Hook } | { readonly resumed: number };

/** Hooks that the charm of one unit has been told so far. */
export class HookHistory {
  readonly #unit: string;
  #entries: Entry[] = [];
  /** Set from a restore until the unit has gone over: it may go on where it was before its last commits. */
  #mayGoBack = false;
  /** Hook id → hook; the id identifies its commit. */
  readonly #begun = new Map<string, Hook>();
  readonly #committed = new Set<string>();
  /** Ids of the storage that the charm knows. */
  readonly #storage = new Set<string>();
  readonly #relations = new Map<number, RelationHistory>();
  #installed = false;
  #started = false;
  #stopped = false;
  #removed = false;
  #last = '';
  /** Set between upgrade-charm and the config-changed that follows it. */
  #upgraded = false;

  constructor(unit: string) {
    this.#unit = unit;
  }

  /** Whether the charm is installed and has not run its last hook. */
  get isOpen(): boolean {
    return this.#installed && !this.#removed;
  }

  /** Must be called when a relation is no longer suspended: it begins anew for the unit. */
  resumed(relation: number): void {
    this.#entries.push({ resumed: relation });
    this.#relations.get(relation)?.resumed();
  }

  /** Must be called when the unit's state is that of a backup again: the charm still knows what it was told since. */
  restored(lastHook: string): void {
    this.#last = lastHook;
    this.#mayGoBack = true;
  }

  /** Goes back to where the unit had committed so much. Returns the number of commits that are forgotten. */
  #goBack(committed: number): number {
    const all = this.#entries;
    let left = committed;
    const kept = all.findIndex((entry) => 'hookId' in entry && left-- === 0);
    if (kept < 0) return 0;
    const forgotten = all.slice(kept).filter((entry) => 'hookId' in entry).length;
    this.#entries = [];
    this.#committed.clear();
    this.#storage.clear();
    this.#relations.clear();
    this.#installed = this.#started = this.#stopped = this.#removed = this.#upgraded = false;
    for (const entry of all.slice(0, kept))
      if ('resumed' in entry) this.resumed(entry.resumed);
      else {
        this.#entries.push(entry);
        this.#committed.add(entry.hookId);
        if (entry.hook) this.#told(entry.hook);
      }
    return forgotten;
  }

  /** Checks a saved state. Returns the violation, if any. */
  saved(
    state: { readonly lastHook: string; readonly agent: unknown; readonly newer?: unknown },
    { mayBeTask = false, mayForget = 1 } = {},
  ): string | undefined {
    const { op, committed = 0 } = (state.agent as Partial<LocalState> | null) ?? {};
    // A hook that was committed anew is one of `committed`.
    const before = state.lastHook === this.#last ? committed : committed - 1;
    if (this.#mayGoBack && !state.newer) {
      this.#mayGoBack = false;
      const forgotten = this.#goBack(before);
      if (forgotten > mayForget)
        return `unit ${this.#unit} goes on before ${forgotten} hooks that it has run`;
    }
    if (state.lastHook !== this.#last) {
      this.#last = state.lastHook;
      const wrong = this.#commit(state.lastHook, mayBeTask);
      if (wrong !== undefined) return `unit ${this.#unit}: ${wrong}`;
    }
    if (op?.kind === 'hook' && op.step === 'pending') this.#begun.set(op.hookId, (op as Pending).hook);
    return undefined;
  }

  /** Checks a run that begins. Returns the violation, if any. */
  begins(name: string, relation: number | undefined, remoteUnit: string | undefined): string | undefined {
    const history = relation === undefined ? undefined : this.#relations.get(relation);
    const again =
      this.#removed ||
      (name === 'install' && this.#installed) ||
      (name === 'stop' && this.#stopped) ||
      (history !== undefined && history.isOver(name, remoteUnit));
    if (!again) return undefined;
    const whose = remoteUnit === undefined ? '' : ` for ${remoteUnit}`;
    return `unit ${this.#unit} runs ${name}${whose} though ${this.#removed ? 'remove' : 'that'} was committed before`;
  }

  #commit(hookId: string, mayBeTask: boolean): string | undefined {
    if (this.#committed.has(hookId)) return `hook ${hookId} was committed twice`;
    this.#committed.add(hookId);
    const hook = this.#begun.get(hookId);
    this.#entries.push(hook ? { hookId, hook } : { hookId });
    if (!hook && mayBeTask) return undefined;
    if (!hook) return `a hook was committed that had not been saved as begun`;
    return this.#told(hook);
  }

  /** Goes on by a hook. Returns the violation, if any. */
  #told(hook: Hook): string | undefined {
    if (this.#upgraded && hook.kind !== 'config-changed')
      return `${hookName(hook)} was committed between upgrade-charm and config-changed`;
    this.#upgraded = hook.kind === 'upgrade-charm';
    const wrong =
      'relation' in hook
        ? this.#relationHook(hook)
        : 'storage' in hook
          ? this.#storageHook(hook)
          : this.#unitHook(hook);
    return wrong === undefined ? undefined : `${hookName(hook)} was committed ${wrong}`;
  }

  #unitHook({ kind }: Hook): string | undefined {
    if (this.#removed) return 'after remove';
    if (this.#stopped && kind !== 'remove') return 'after stop';
    if (kind === 'install') {
      if (this.#installed) return 'twice';
      this.#installed = true;
      return undefined;
    }
    if (!this.#installed) return 'before install';
    if (kind === 'start') this.#started = true;
    if (kind === 'update-status' && !this.#started) return 'before start';
    if (kind !== 'stop' && kind !== 'remove') return undefined;
    const [storage] = this.#storage;
    if (storage !== undefined) return `before the end of storage ${storage}`;
    const open = [...this.#relations].find(([, relation]) => relation.isOpen);
    if (open) return `before the end of relation ${open[0]}`;
    if (kind === 'remove') {
      if (this.#started && !this.#stopped) return 'before stop';
      this.#removed = true;
    } else {
      if (!this.#started) return 'before start';
      this.#stopped = true;
    }
    return undefined;
  }

  /** Checks a storage hook: storage comes before install, and goes before stop. */
  #storageHook({ kind, storage }: StorageHook): string | undefined {
    if (this.#removed) return 'after remove';
    if (this.#stopped) return 'after stop';
    const isAttached = kind === 'storage-attached';
    if (this.#storage.has(storage) === isAttached)
      return isAttached ? `twice for ${storage}` : `for ${storage}, which is not there`;
    if (isAttached) this.#storage.add(storage);
    else this.#storage.delete(storage);
    return undefined;
  }

  #relationHook(hook: Extract<Hook, { relation: number }>): string | undefined {
    if (this.#removed) return 'after remove';
    if (this.#stopped) return 'after stop';
    if (!this.#installed) return 'before install';
    let relation = this.#relations.get(hook.relation);
    if (!relation) this.#relations.set(hook.relation, (relation = new RelationHistory()));
    return relation.commit(hook.kind, hook.remoteUnit);
  }
}

/** Hooks of one relation: created, then for each counterpart joined, changed, departed, then broken. */
class RelationHistory {
  #created = false;
  #broken = false;
  /** Whether relation-created may come after relation-broken. */
  #mayBeginAnew = false;
  readonly #members = new Map<string, 'joined' | 'changed' | 'departed'>();

  resumed(): void {
    this.#mayBeginAnew = true;
  }

  /** Whether the charm knows counterparts and has not been told of the relation's end. */
  get isOpen(): boolean {
    return !this.#broken && [...this.#members.values()].some((member) => member !== 'departed');
  }

  /** Whether the hook would be the second of a kind that runs once. */
  isOver(name: string, remoteUnit: string | undefined): boolean {
    const isCreated = name.endsWith('-relation-created');
    if (this.#broken) return !(this.#mayBeginAnew && isCreated);
    if (this.#created && isCreated) return true;
    const member = remoteUnit === undefined ? undefined : this.#members.get(remoteUnit);
    if (name.endsWith('-relation-joined')) return member !== undefined && member !== 'departed';
    return name.endsWith('-relation-departed') && member === 'departed';
  }

  commit(kind: Hook['kind'], remoteUnit: string | undefined): string | undefined {
    if (this.#broken && this.#mayBeginAnew && kind === 'relation-created') {
      this.#broken = false;
      this.#created = false;
      this.#mayBeginAnew = false;
      this.#members.clear();
    }
    if (this.#broken) return 'after relation-broken';
    if (kind === 'relation-created') {
      if (this.#created) return 'twice';
      this.#created = true;
      return undefined;
    }
    if (!this.#created) return 'before relation-created';
    if (kind === 'relation-broken') {
      const member = [...this.#members].find(([, state]) => state !== 'departed');
      if (member) return `before ${member[0]} departed`;
      this.#broken = true;
      return undefined;
    }
    if (remoteUnit === undefined) return undefined;
    const state = this.#members.get(remoteUnit);
    switch (kind) {
      case 'relation-joined':
        if (state === 'joined' || state === 'changed') return `twice for ${remoteUnit}`;
        this.#members.set(remoteUnit, 'joined');
        return undefined;
      case 'relation-changed':
        if (state !== 'joined' && state !== 'changed') return `for ${remoteUnit}, which is not there`;
        this.#members.set(remoteUnit, 'changed');
        return undefined;
      case 'relation-departed':
        if (state === undefined || state === 'departed') return `for ${remoteUnit}, which is not there`;
        if (state === 'joined') return `for ${remoteUnit} before its first relation-changed`;
        this.#members.set(remoteUnit, 'departed');
        return undefined;
      default:
        return undefined;
    }
  }
}
