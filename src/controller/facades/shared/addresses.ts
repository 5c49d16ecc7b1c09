import type { Address, MachineDoc } from '../../../core/machine/document.ts';

const byScope = ['public', 'local-cloud'] as const;

/** Where a machine's units are reached from outside; '' until it has an address. */
export function publicAddress(machine: MachineDoc | undefined): string {
  const addresses: readonly Address[] = machine?.addresses ?? [];
  for (const scope of byScope) for (const one of addresses) if (one.scope === scope) return one.value;
  return '';
}

/** Every address that others than the machine itself can use, the most public first. */
export function reachable({ addresses }: MachineDoc): string[] {
  const found: string[] = [];
  for (const scope of byScope) for (const one of addresses) if (one.scope === scope) found.push(one.value);
  return found;
}
