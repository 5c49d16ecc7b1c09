import { setStatus, statusOf, type Tx } from '../tx.ts';

/**
 * Records whether an instance has the profiles that the charms of its machine's units ask for. Writes nothing when the
 * machine has another instance by now, or when the status is unchanged, as after a start that assigned all profiles.
 */
export function recordProfiles(
  tx: Tx,
  args: {
    readonly machine: string;
    readonly instanceId: string;
    readonly status: 'applied' | 'error';
    readonly message: string;
  },
): void {
  const machine = tx.get('machine', args.machine);
  if (!machine || machine.instance?.id !== args.instanceId) return;
  const { status, message } = args;
  const current = statusOf(tx, 'modification', machine.id, machine.createdAt);
  if (current.status !== status || current.message !== message)
    setStatus(tx, 'modification', machine.id, status, message);
}
