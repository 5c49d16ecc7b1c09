import { newLocalState, type LocalState } from '../../core/unit/local-state.ts';
import type { HookCommit } from '../../wire/facades/machine-agent.ts';
import type { AgentApi } from '../uplink.ts';

export type Commit = Omit<HookCommit, 'unit' | 'agentState'>;

/** What an agent must find again. */
export interface UnitState {
  readonly agentState: unknown;
  readonly charmState: Record<string, string>;
}

/**
 * The unit's local state: current here, and as of the last save at the controller. It is saved before anything that
 * must not be repeated; between such steps a crash repeats cheap work. The machine keeps it, too, for a controller that
 * is restored from an older backup.
 */
export class SavedState {
  readonly #unit: string;
  readonly #api: AgentApi;
  readonly #keepHere: (state: UnitState) => Promise<void>;
  #local: LocalState;
  #charm: Readonly<Record<string, string>>;
  #dirty = false;
  #saving: Promise<unknown> | undefined;

  constructor(unit: string, api: AgentApi, saved: UnitState, keepHere: (state: UnitState) => Promise<void>) {
    this.#unit = unit;
    this.#api = api;
    this.#keepHere = keepHere;
    this.#local = { ...newLocalState, ...(saved.agentState as Partial<LocalState> | null) };
    this.#charm = saved.charmState;
  }

  get local(): LocalState {
    return this.#local;
  }
  /** The charm's state, which state-get shows. */
  get charm(): Readonly<Record<string, string>> {
    return this.#charm;
  }

  set(local: LocalState): void {
    if (local === this.#local) return;
    this.#local = local;
    this.#dirty = true;
  }

  async save(signal: AbortSignal): Promise<void> {
    if (this.#saving) await this.#settled();
    if (!this.#dirty) return this.keepHere();
    this.#dirty = false;
    const saving = this.#api.call('SaveState', { unit: this.#unit, agentState: this.#local }, { signal });
    this.#saving = Promise.all([saving, this.keepHere()]);
    try {
      await this.#saving;
    } catch (error) {
      this.#dirty = true;
      throw error;
    } finally {
      this.#saving = undefined;
    }
  }

  /** Commits the hook's changes and the state after it in one transaction. */
  async commit(commit: Commit, after: LocalState, signal: AbortSignal): Promise<void> {
    await this.#settled();
    const agentState = { ...after, committed: this.#local.committed + 1 };
    await this.#api.call('CommitHook', { ...commit, unit: this.#unit, agentState }, { signal });
    this.#local = agentState;
    this.#dirty = false;
    if (commit.charmState) {
      const charm = { ...this.#charm };
      for (const key of commit.charmState.delete) delete charm[key];
      this.#charm = { ...charm, ...commit.charmState.set };
    }
    await this.keepHere();
  }

  /** Tells the state to a controller that was restored from a backup, which may know only an older one. */
  async keep(restore: string, signal: AbortSignal): Promise<void> {
    await this.#api.call('KeepState', { unit: this.#unit, restore, ...this.#state() }, { signal });
  }

  /** Makes the machine keep the state. */
  async keepHere(): Promise<void> {
    await this.#keepHere(this.#state());
  }

  #state(): UnitState {
    return { agentState: this.#local, charmState: { ...this.#charm } };
  }

  /** Waits for an aborted save to end, so that it does not overwrite what follows. */
  async #settled(): Promise<void> {
    while (this.#saving) await this.#saving.catch(() => undefined);
  }
}
