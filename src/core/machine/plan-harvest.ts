/** Finds instances of the model that no machine has, and decides what happens to them (machines.md#strays). */
import type { HarvestMode } from './plan-provisioning.ts';

/** Milliseconds between two looks that must both find an instance without a machine. */
export const confirmedAfterMs = 5_000;

/** An instance that the cloud lists with the model's tags. */
export interface TaggedInstance {
  readonly id: string;
  /** The machine named by the instance's tag; '' = no such tag. */
  readonly machineId: string;
  readonly nonce: string;
  /** Whether the instance's tag says that it runs a controller. */
  readonly isController: boolean;
}

interface HarvestedMachine {
  readonly nonce: string;
  readonly hasInstance: boolean;
  /** Nonces of given-up attempts whose instances are stopped in every mode. */
  readonly givenUp: readonly string[];
}

interface Records {
  /** Ids of all recorded instances. */
  readonly recorded: ReadonlySet<string>;
  /** Looks up a machine's record; undefined = there is no such machine. */
  readonly machine: (id: string) => HarvestedMachine | undefined;
  /** Ids of instances left running by remove-machine --keep-instance. */
  readonly kept: ReadonlySet<string>;
}

export interface HarvestPlan {
  /** Instances without a machine, confirmed by an earlier look. */
  readonly strays: readonly TaggedInstance[];
  /** Instances without a machine that are seen for the first time; the next look confirms them. */
  readonly suspects: readonly TaggedInstance[];
  /** The strays that are to be stopped. */
  readonly stops: readonly TaggedInstance[];
  /** Instances of abandoned attempts whose machine has another instance; they are stopped too. */
  readonly givenUp: readonly TaggedInstance[];
  /** Instances of abandoned attempts whose machine has none yet; a cloud may reuse the id for the next one. */
  readonly awaiting: readonly TaggedInstance[];
}

/**
 * Sorts listed instances into strays, suspects and leftovers of abandoned attempts. An instance belongs to a machine
 * when a record names it or has its nonce, which is written before the start, so an instance being started is never a
 * stray. An instance with a different nonce than its machine belongs to an abandoned attempt; it is stopped once the
 * machine has its own instance. The records must be read after the list.
 *
 * `since`: when instances without a machine were first seen, in milliseconds.
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
    if (machine && !isController && (mode !== 'none' || machine.givenUp.includes(nonce))) {
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
