/** Requests for other programs of agents (docs/upgrades.md). */
import { programChange } from '../../../core/machine/program.ts';
import type { Tx } from '../tx.ts';

/** Asks the agents of machines to take a program. Machines that are gone, or have it, are left out. */
export function askForProgram(
  tx: Tx,
  { machines, build }: { readonly machines: readonly string[]; readonly build: string },
): void {
  for (const id of machines) {
    const machine = tx.get('machine', id);
    if (!machine || machine.life === 'dead' || machine.program?.build === build) continue;
    const { failed } = machine.program ?? {};
    // The agent tries a program again only when a later request asks for it.
    const attempt = failed?.build === build ? failed.attempt + 1 : 0;
    tx.put('machine', id, { ...machine, programWanted: { build, attempt } });
  }
}

/** Forgets which programs did not come up, so that they are asked for again. Their number is bounded by the step's. */
export function forgetFailedPrograms(tx: Tx): void {
  for (const machine of Array.from(tx.find('machine', 'programChange', 'failed'))) {
    if (programChange(machine) !== 'failed') continue;
    const { programWanted: _, ...rest } = machine;
    tx.put('machine', machine.id, rest);
  }
}
