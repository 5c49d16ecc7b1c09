/**
 * Gives instances the profiles that the charms of their units ask for, when these change after the start: a unit more or
 * less, another revision of a charm (Juju's instance-mutater). How it went is the machine's `modification` status.
 */
import type { Entities } from '../../core/kinds.ts';
import { JujuError } from '../../core/errors.ts';
import { timeLimit } from '../../kit/clock.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { Store } from '../../store/store.ts';
import { hasCharmProfiles, profilesOf } from '../machine-profiles.ts';
import type { Services } from '../services.ts';
import { setStatus, statusOf } from '../transactions/tx.ts';
import { DirtyMachines, none } from './dirty-machines.ts';
import { RefusedMachines } from './refused-machines.ts';

const by = 'profile-assigner';
/** One that never ends must not keep the others waiting: with LXD's, starts too. */
const assignMs = 120_000;
const retryAssign: Backoff = { firstMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0.2 };

export function createProfileAssigner(needs: {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'environ' | 'log' | 'nextTurn' | 'random'>;
  readonly modelUuid: string;
  readonly wake: () => void;
}): {
  /** Returns milliseconds until those that failed are tried again. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.profile-assigner');
  /** Once a charm of the model has asked for anything: until then nothing concerns us. */
  let concerned = hasCharmProfiles(store.read().in(modelUuid));
  let failures = 0;
  /** What was assigned last, by instance: a cache that may be lost. */
  const assigned = new Map<string, string>();
  const dirty = new DirtyMachines({
    ...needs,
    concerns: {
      charm({ lxdProfile }) {
        concerned ||= lxdProfile !== undefined;
        return none;
      },
      machine: ({ id, instance, parent }, _, other) =>
        concerned && instance && parent === undefined && instance.id !== other?.instance?.id ? [id] : none,
      unit: ({ machine }, _, other) =>
        concerned && machine !== undefined && machine !== other?.machine ? [machine] : none,
      *application({ name, charmUrl }, view, other) {
        if (!concerned || !other || charmUrl === other.charmUrl) return;
        for (const { machine } of view.find('unit', 'application', name))
          if (machine !== undefined) yield machine;
      },
    },
  });

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return undefined;
    const refused = new RefusedMachines();
    await dirty.take(async (ids) => {
      const { profiles } = services.environ(modelUuid, view);
      if (!concerned || !profiles) return;
      for (const id of ids) {
        signal.throwIfAborted();
        const machine = view.get('machine', id);
        const instance = machine?.instance;
        if (!machine || !instance || instance.unmanaged || machine.parent !== undefined) continue;
        if (machine.life === 'dead') {
          assigned.delete(instance.id);
          continue;
        }
        const wanted = profilesOf(view, id);
        const text = JSON.stringify(wanted);
        if (assigned.get(instance.id) === text) continue;
        const limit = timeLimit(services.clock, assignMs, signal);
        try {
          await profiles.assign(instance.id, wanted, limit.signal);
          assigned.set(instance.id, text);
          await tell(id, instance.id, 'applied', '');
        } catch (error) {
          if (signal.aborted) throw error;
          assigned.delete(instance.id);
          // The instance is gone: another one begins with its profiles.
          if (error instanceof JujuError && error.code === 'not found') continue;
          refused.add(id, error);
          await tell(
            id,
            instance.id,
            'error',
            `cannot apply the charms' LXD profiles: ${(error as Error).message}`,
          );
        } finally {
          limit.done();
        }
      }
    });
    refused.log(log, 'cannot change the profiles of a machine');
    failures = refused.machines.length > 0 ? failures + 1 : 0;
    if (failures === 0) return undefined;
    dirty.add(refused.machines);
    return backoffMs(retryAssign, failures - 1, services.random);
  }

  /** Nothing when it says so already, as after a start that gave it all. */
  async function tell(
    id: string,
    instance: string,
    status: 'applied' | 'error',
    message: string,
  ): Promise<void> {
    await store.change((root) => {
      const tx = root.in(modelUuid);
      const machine = tx.get('machine', id);
      if (!machine || machine.instance?.id !== instance) return;
      const now = statusOf(tx, 'modification', id, machine.createdAt);
      if (now.status !== status || now.message !== message)
        setStatus(tx, 'modification', id, status, message);
    }, by);
  }

  return { pass, stop: () => dirty.stop() };
}
