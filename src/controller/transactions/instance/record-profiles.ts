import { isDeepStrictEqual } from 'node:util';
import { setStatus, statusOf, type Tx } from '../tx.ts';

/**
 * Records whether an instance has the profiles that the charms of its machine's units ask for: units take a charm when
 * its profile is there (unit-agent.md#profile-first). Writes nothing when the machine has another instance by now, or
 * when nothing has changed, as after a start that assigned all profiles.
 */
export function recordProfiles(
  tx: Tx,
  args: {
    readonly machine: string;
    readonly instanceId: string;
    readonly status: 'applied' | 'error';
    readonly message: string;
    /** Names of the profiles that the instance has; absent when they were not assigned. */
    readonly profiles?: readonly string[];
  },
): void {
  const machine = tx.get('machine', args.machine);
  if (!machine || machine.instance?.id !== args.instanceId) return;
  const { instance } = machine;
  const { status, message, profiles } = args;
  if (profiles && !isDeepStrictEqual(profiles, instance.profiles))
    tx.put('machine', machine.id, { ...machine, instance: { ...instance, profiles } });
  const current = statusOf(tx, 'modification', machine.id, machine.createdAt);
  if (current.status !== status || current.message !== message)
    setStatus(tx, 'modification', machine.id, status, message);
}
