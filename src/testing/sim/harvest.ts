/**
 * Checks instances without a machine against the model's harvest mode over time. For an instance that appeared by
 * itself the time is known, so that stopping it too early, or never, can be detected.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';
import { hostOf } from './container-names.ts';
import type { Planted, World } from './world.ts';

/** Grace period for a changed mode: calls of the cloud may be slow, and are repeated. */
const slackMs = 15 * 60_000;

interface Times {
  mode: string;
  /** Time of the last change; -Infinity = never. */
  since: number;
  /** Last time at which strays had to be stopped; -Infinity = never. */
  harvestedUntil: number;
  /** Whether instances of dead machines were left at some time. */
  leaves: boolean;
  leavesContainers: boolean;
}

export class Harvest {
  readonly #world: World;
  readonly #models = new Map<string, Times>();
  readonly #keptTooLate = new Set<string>();
  /** Instances that no record of a restored controller has. */
  readonly #newer = new Set<string>();
  /** Violations that were reported already. */
  readonly #seen = new Set<Planted>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit(({ changes }) => {
      for (const { kind, space, id, before, after } of changes) {
        if (kind === 'model')
          this.#modelIs(id, (after as { config?: Record<string, unknown> } | undefined)?.config);
        if (kind === 'machine')
          this.#machineIs(space, before as MachineDoc | undefined, after as MachineDoc | undefined);
      }
      for (const stray of world.cloud.planted)
        if (stray.goneAt !== undefined) this.#gone(stray, stray.goneAt);
    });
    world.onRestore((root) => this.#restored(root));
  }

  #restored(root: Reader<Entities>): void {
    const known = new Set<string>();
    for (const { uuid, config } of root.list('model')) {
      this.#modelIs(uuid, config);
      for (const { instance } of root.in(uuid).list('machine')) known.add(instance?.id ?? '');
    }
    for (const { id } of this.#world.cloud.instances()) if (!known.has(id)) this.#newer.add(id);
  }

  /**
   * Whether an instance without a record may exist: the instance appeared, was left, or is newer than a backup, is
   * reported, and must not be stopped.
   */
  mayStay(instance: string, model: string): boolean {
    const times = this.#models.get(model);
    if (!times) return false;
    // Containers that were left end with their host.
    if (hostOf(instance) !== instance) return times.leavesContainers;
    if (stops(times.mode)) return false;
    const { cloud, controller } = this.#world;
    const isReported = controller.read().in(model).get('stray', instance) !== undefined;
    const isPlanted = cloud.planted.some((one) => one.instance === instance);
    return isReported && (isPlanted || times.leaves || this.#newer.has(instance));
  }

  /** Yields strays that are reported but do not exist any more. */
  *overdue(): Iterable<string> {
    const root = this.#world.controller.read();
    for (const { uuid } of root.list('model'))
      for (const { instanceId } of root.in(uuid).list('stray'))
        if (!this.#world.cloud.instances().some(({ id }) => id === instanceId))
          yield `stray ${instanceId} is reported and not there`;
  }

  /**
   * Checks that an instance that must be kept may be lost, but is not stopped; the removal of a model keeps nothing.
   */
  #machineIs(model: string, before: MachineDoc | undefined, after: MachineDoc | undefined): void {
    if (!before) return;
    const { id, parent, instance, keepInstance } = before;
    // The instance may have been stopped before the record says that it must be kept.
    if (after?.keepInstance && !keepInstance && before.life === 'dead' && instance)
      this.#keptTooLate.add(instance.id);
    if (after || !keepInstance || !instance || parent !== undefined) return;
    if (this.#keptTooLate.has(instance.id)) return;
    const { controller, machines } = this.#world;
    if (controller.read().get('model', model)?.life !== 'alive') return;
    if (machines.find((one) => one.instance === instance.id)?.state === 'released')
      this.#world.fail(`instance ${instance.id} of machine ${id}, which was to be kept, was stopped`);
  }

  #modelIs(uuid: string, config: Readonly<Record<string, unknown>> | undefined): void {
    const now = this.#world.now();
    const mode = config ? (mergedModelConfig(config)['provisioner-harvest-mode'] as string) : 'all';
    const times = this.#models.get(uuid) ?? {
      mode,
      since: -Infinity,
      harvestedUntil: -Infinity,
      leaves: false,
      leavesContainers: false,
    };
    this.#models.set(uuid, times);
    if (times.mode !== mode) Object.assign(times, { mode, since: now });
    times.leaves ||= leaves(mode);
    times.leavesContainers ||= mode === 'none';
    if (stops(mode)) times.harvestedUntil = Infinity;
    else if (times.harvestedUntil === Infinity) times.harvestedUntil = now;
  }

  /** Checks that an instance which no machine was started as ends only when the mode says so, or with its model. */
  #gone(stray: Planted, at: number): void {
    if (this.#seen.has(stray)) return;
    this.#seen.add(stray);
    const root = this.#world.controller.read();
    const times = this.#models.get(stray.model);
    if (!times || root.get('model', stray.model)?.life !== 'alive') return;
    // The instance belongs to an abandoned attempt of an existing machine.
    const givenUp = stray.machine !== '' && times.mode !== 'none';
    if (givenUp || at - times.harvestedUntil < slackMs || at - times.since < slackMs) return;
    this.#world.fail(`stray ${stray.instance} was stopped in harvest mode ${times.mode}`);
  }
}

/** Whether the mode stops strays. */
function stops(mode: string): boolean {
  return mode === 'unknown' || mode === 'all';
}

/** Whether the mode leaves instances of dead machines. */
function leaves(mode: string): boolean {
  return mode === 'none' || mode === 'unknown';
}
