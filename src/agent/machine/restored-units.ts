/** What a machine tells of its units after a restore of the model (backups.md#after-a-restore). */
import { compareNames } from '../../core/names.ts';
import { newLocalState, type LocalState } from '../../core/unit/local-state.ts';
import { KeptStates, type KeptState } from '../unit/kept-state.ts';
import type { RestoreSeen } from '../unit/restore-seen.ts';
import type { SavedState } from '../unit/saved-state.ts';
import type { MachineWorld } from './world.ts';

interface Running {
  readonly state: SavedState;
  readonly since: RestoreSeen;
}

export class RestoredUnits {
  readonly #world: MachineWorld;
  readonly #running: ReadonlyMap<string, Running>;
  readonly #kept: KeptStates;
  /** The last report of units that differ from the backup. */
  #reported = '';

  /** @param running Units whose agents run, which change. */
  constructor(world: MachineWorld, running: ReadonlyMap<string, Running>) {
    this.#world = world;
    this.#running = running;
    this.#kept = new KeptStates(world);
  }

  /** Tells, while the restore waits, what is newer here than the backup. */
  async hold(restore: string, signal: AbortSignal): Promise<void> {
    const { api, hosts, mirror } = this.#world;
    const assigned = new Set(mirror.unitNames());
    const here = new Set(await hosts.list());
    const units = [...here].filter((unit) => !assigned.has(unit)).toSorted(compareNames);
    const ended = [...(await this.ended(restore))];
    const report = JSON.stringify([restore, units, ended]);
    if (report !== this.#reported) await api.call('UnknownUnits', { units, ended }, { signal });
    this.#reported = report;
    for (const unit of assigned) {
      if (ended.includes(unit)) continue;
      const running = this.#running.get(unit);
      if (running) await tellState(running, restore, signal);
      else await this.#kept.tell(unit, restore, signal);
    }
  }

  /**
   * Returns the deployed units that have ended here between the backup and its restore, and begin anew: they have no
   * files, or have begun the last hooks of their charms.
   */
  async ended(restore: string): Promise<ReadonlySet<string>> {
    const { hosts, mirror } = this.#world;
    const suspects = mirror
      .units()
      .filter(([unit, { deployed }]) => deployed && this.#running.get(unit)?.since.known !== restore);
    const here = new Set(suspects.length > 0 ? await hosts.list() : []);
    const ended = new Set<string>();
    for (const [unit, { life }] of suspects) {
      if (life === 'dead') continue;
      if (!here.has(unit) || (life === 'alive' && (await this.#isOver(unit, restore)))) ended.add(unit);
    }
    return ended;
  }

  async #isOver(unit: string, restore: string): Promise<boolean> {
    const { state } = this.#running.get(unit) ?? {};
    const local = state?.local ?? (await this.#kept.before(unit, restore))?.agentState;
    const { stopped, removed, op } = (local ?? newLocalState) as LocalState;
    // A last hook that has begun is committed as soon as the restore is accepted.
    const isEnding = op.kind === 'hook' && (op.hook.kind === 'stop' || op.hook.kind === 'remove');
    return stopped || removed || isEnding;
  }

  /** Tells and returns the unit's state from before a restore that was accepted with `keep`. */
  async keptBefore(unit: string, signal: AbortSignal): Promise<KeptState | undefined> {
    const { restored } = this.#world.mirror.model() ?? {};
    return restored?.state === 'keep' ? this.#kept.tell(unit, restored.id, signal) : undefined;
  }
}

/** Tells the controller the state of a running unit once. */
export async function tellState(
  { state, since }: Running,
  restore: string,
  signal: AbortSignal,
): Promise<void> {
  if (since.told === restore) return;
  await state.keep(restore, signal);
  since.told = restore;
}
