/** Requests for other programs of agents (docs/upgrades.md). */
import { programChange } from '../../../core/machine/program.ts';
import type { ModelProgram } from '../../../core/model/upgrade.ts';
import type { Tx } from '../tx.ts';

/** Has the agents of a model take a program, one after the other. A model that is gone is left. */
export function setModelProgram(root: Tx, uuid: string, program: ModelProgram): void {
  const model = root.get('model', uuid);
  if (model && model.program?.build !== program.build) root.put('model', uuid, { ...model, program });
}

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
