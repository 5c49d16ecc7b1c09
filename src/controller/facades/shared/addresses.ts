import type { Address, MachineDoc } from '../../../core/machine/document.ts';

const byScope = ['public', 'local-cloud'] as const;

/** Address at which a machine's units are reached from outside; '' until it has one. */
export function publicAddress(machine: MachineDoc | undefined): string {
  const addresses: readonly Address[] = machine?.addresses ?? [];
  for (const scope of byScope) for (const one of addresses) if (one.scope === scope) return one.value;
  return '';
}

/** Addresses that can be reached from other machines, the most public first. */
export function reachable({ addresses }: MachineDoc): string[] {
  const found: string[] = [];
  for (const scope of byScope) for (const one of addresses) if (one.scope === scope) found.push(one.value);
  return found;
}
