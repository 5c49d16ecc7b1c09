import type { Address, MachineDoc } from '../../../core/entities.ts';

const byScope = ['public', 'local-cloud'] as const;

/** Where a machine's units are reached from outside; '' until it has an address. */
export function publicAddress(machine: MachineDoc | undefined): string {
  return reachable(machine)[0] ?? '';
}

/** Every address that others than the machine itself can use, the most public first. */
export function reachable(machine: MachineDoc | undefined): string[] {
  const addresses: readonly Address[] = machine?.addresses ?? [];
  return byScope.flatMap((scope) => addresses.filter((one) => one.scope === scope).map((one) => one.value));
}
