/**
 * Assigns the profiles that the charms of an instance's units ask for, when these change after the start: a new or
 * removed unit, another revision of a charm (Juju's instance-mutater). The result is the machine's `modification`
 * status.
 */
import { isDeepStrictEqual } from 'node:util';
import { JujuError } from '../../core/errors.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { timeLimit } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import { hasCharmProfiles, profilesOf } from '../machine-profiles.ts';
import { recordProfiles } from '../transactions/instance/record-profiles.ts';
import type { View } from '../transactions/tx.ts';
import { DirtyMachines, noMachines, type Concerns } from './dirty-machines.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import { RefusedMachines } from './refused-machines.ts';

const by = 'profile-assigner';
/** Timeout for one assignment: one that never ends must not block the others, nor, with LXD, starts. */
const assignMs = 120_000;
const retryAssign: Backoff = { firstMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0.2 };

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log' | 'nextTurn' | 'random'>;
type Profiles = NonNullable<Environ['profiles']>;

export class ProfileAssigner implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  /** True once a charm of the model has asked for a profile: until then nothing has to be looked at. */
  #hasProfiles: boolean;
  #failures = 0;
  /** Profiles that were assigned last, by instance: a cache that may be lost. */
  readonly #assigned = new Map<string, string>();
  readonly #dirty: DirtyMachines;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.profile-assigner');
    this.#hasProfiles = hasCharmProfiles(needs.store.read().in(needs.modelUuid));
    this.#dirty = new DirtyMachines({ ...needs, concerns: this.#concerns() });
  }

  /** Assigns profiles. Returns milliseconds until failed assignments are tried again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return undefined;
    const refused = new RefusedMachines();
    await this.#dirty.take(async (ids) => {
      const { profiles } = services.environ(modelUuid, view);
      if (!this.#hasProfiles || !profiles) return;
      for (const id of ids) {
        signal.throwIfAborted();
        const machine = view.get('machine', id);
        if (machine) await this.#assign(profiles, { view, machine, refused }, signal);
      }
    });
    refused.log(this.#log, 'cannot change the profiles of a machine');
    this.#failures = refused.machines.length > 0 ? this.#failures + 1 : 0;
    if (this.#failures === 0) return undefined;
    this.#dirty.add(refused.machines);
    return backoffMs(retryAssign, this.#failures - 1, services.random);
  }

  stop(): void {
    this.#dirty.stop();
  }

  async #assign(
    profiles: Profiles,
    { view, machine, refused }: { view: View; machine: MachineDoc; refused: RefusedMachines },
    signal: AbortSignal,
  ): Promise<void> {
    const { id, instance, parent, life } = machine;
    if (!instance || instance.unmanaged || parent !== undefined) return;
    if (life === 'dead') {
      this.#assigned.delete(instance.id);
      return;
    }
    const wanted = profilesOf(view, id);
    const text = JSON.stringify(wanted);
    const names = wanted.map(({ name }) => name);
    // A successor may have the id of the instance that was lost, as with LXD: its record knows of no profiles.
    if (this.#assigned.get(instance.id) === text && isDeepStrictEqual(instance.profiles, names)) return;
    const limit = timeLimit(this.#needs.services.clock, assignMs, signal);
    try {
      await profiles.assign(instance.id, wanted, limit.signal);
      this.#assigned.set(instance.id, text);
      const applied = { status: 'applied', message: '', profiles: names } as const;
      await this.#record({ machine: id, instanceId: instance.id, ...applied });
    } catch (error) {
      if (signal.aborted) throw error;
      this.#assigned.delete(instance.id);
      // The instance is gone: its successor starts with its profiles.
      if (error instanceof JujuError && error.code === 'not found') return;
      refused.add(id, error);
      const message = `cannot apply the charms' LXD profiles: ${(error as Error).message}`;
      await this.#record({ machine: id, instanceId: instance.id, status: 'error', message });
    } finally {
      limit.done();
    }
  }

  #record(args: Parameters<typeof recordProfiles>[1]): Promise<void> {
    return this.#needs.store.change((root) => recordProfiles(root.in(this.#needs.modelUuid), args), by);
  }

  #concerns(): Concerns {
    const noteProfile = (lxdProfile: unknown): void => {
      this.#hasProfiles ||= lxdProfile !== undefined;
    };
    const hasProfiles = (): boolean => this.#hasProfiles;
    return {
      charm({ lxdProfile }) {
        noteProfile(lxdProfile);
        return noMachines;
      },
      machine: ({ id, instance, parent }, _, other) =>
        hasProfiles() && instance && parent === undefined && instance.id !== other?.instance?.id
          ? [id]
          : noMachines,
      unit({ machine, charmUrl, released }, _, other) {
        const isSame =
          machine === other?.machine && charmUrl === other?.charmUrl && released === other?.released;
        return hasProfiles() && machine !== undefined && !isSame ? [machine] : noMachines;
      },
      *application({ name, charmUrl, rollout }, view, other) {
        const isSame =
          charmUrl === other?.charmUrl && (rollout === undefined) === (other?.rollout === undefined);
        if (!hasProfiles() || !other || isSame) return;
        for (const { machine } of view.find('unit', 'application', name))
          if (machine !== undefined) yield machine;
      },
    };
  }
}
