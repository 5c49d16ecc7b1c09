import type { MachineView } from './plan-provisioning.ts';

/** Instances that the cloud has to be asked for. */
interface LookPlan {
  /** Recorded instances that may have to be released, or may have crashed. */
  readonly recorded: readonly string[];
  /** Machines of which instances may exist that no record names: these are found by their tags. */
  readonly unrecorded: ReadonlySet<string>;
}

/**
 * The instances that a pass over some machines has to see. An instance that runs and whose agent is connected is none
 * of them. A start whose answer was lost, or an attempt that was given up (`unsure`), may have made an instance that no
 * record names; `busy` are machines with a start under way, whose instance is not lost.
 */
export function planLook(
  machines: readonly MachineView[],
  how: {
    readonly unsure: ReadonlySet<string>;
    readonly busy: ReadonlySet<string>;
    readonly isPresent: (id: string) => boolean;
  },
): LookPlan {
  const recorded: string[] = [];
  const unrecorded = new Set<string>();
  for (const { id, life, nonce, instanceId, unmanaged, began, givenUp } of machines) {
    const isLost = life !== 'alive' && nonce !== undefined && instanceId === undefined && !how.busy.has(id);
    // The record goes with the machine, and with it the nonces by which instances of given-up attempts are known.
    const mayLeave = life === 'dead' && givenUp !== undefined;
    if (how.unsure.has(id) || began || isLost || mayLeave) unrecorded.add(id);
    // The list of a machine's instances has its recorded one, too.
    else if (instanceId !== undefined && !unmanaged && (life === 'dead' || !how.isPresent(id)))
      recorded.push(instanceId);
  }
  return { recorded, unrecorded };
}
