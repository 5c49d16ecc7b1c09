/** Which instances of the model no machine has, and what becomes of them (machines.md#strays). */
import type { HarvestMode } from './plan-provisioning.ts';

/** Between two looks that must both find an instance without a machine. */
export const confirmedAfterMs = 5_000;

/** What the cloud lists with the model's tags. */
export interface TaggedInstance {
  readonly id: string;
  /** The machine that its tag names, '' when there is none. */
  readonly machineId: string;
  readonly nonce: string;
  /** Its tag says that it runs a controller. */
  readonly isController: boolean;
}

export interface Records {
  /** Ids of all recorded instances. */
  readonly recorded: ReadonlySet<string>;
  /** What a machine's record says; undefined = there is no such machine. */
  readonly machine: (id: string) => { readonly nonce: string; readonly hasInstance: boolean } | undefined;
  /** Left running by remove-machine --keep-instance. */
  readonly kept: ReadonlySet<string>;
}

export interface HarvestPlan {
  /** Without a machine, and seen so before. */
  readonly strays: readonly TaggedInstance[];
  /** Without a machine at this look; the next one tells whether that is so. */
  readonly suspects: readonly TaggedInstance[];
  /** Those of the strays that are to be stopped. */
  readonly stops: readonly TaggedInstance[];
  /** Of attempts that a machine has given up: they are stopped too. */
  readonly givenUp: readonly TaggedInstance[];
  /** The same of machines that have no other yet: a cloud may give the next one the same id. */
  readonly awaiting: readonly TaggedInstance[];
}

/**
 * An instance is a machine's when a record names it, or has the nonce that it was started with: that is written before
 * the start, so what is being started is never taken for a stray. Of a machine that has another nonce, it is of an
 * attempt that was given up, and stopped as soon as that machine has its own. The records must be newer than the list.
 *
 * `since`: when those that had no machine before were first seen, in milliseconds.
 */
export function planHarvest(
  instances: readonly TaggedInstance[],
  records: Records,
  { mode, since, now }: { mode: HarvestMode; since: ReadonlyMap<string, number>; now: number },
): HarvestPlan {
  const plan = {
    strays: [] as TaggedInstance[],
    suspects: [] as TaggedInstance[],
    stops: [] as TaggedInstance[],
    givenUp: [] as TaggedInstance[],
    awaiting: [] as TaggedInstance[],
  };
  for (const instance of instances) {
    const { id, machineId, nonce, isController } = instance;
    if (records.recorded.has(id) || records.kept.has(id)) continue;
    const machine = machineId === '' ? undefined : records.machine(machineId);
    if (machine && nonce !== '' && machine.nonce === nonce) continue;
    if (machine && mode !== 'none' && !isController) {
      plan[machine.hasInstance ? 'givenUp' : 'awaiting'].push(instance);
      continue;
    }
    const seen = since.get(id);
    if (seen === undefined || now - seen < confirmedAfterMs) {
      plan.suspects.push(instance);
      continue;
    }
    plan.strays.push(instance);
    if ((mode === 'unknown' || mode === 'all') && !isController) plan.stops.push(instance);
  }
  return plan;
}
