import { formatBase, sameBase, type Base } from '../base.ts';
import { JujuError } from '../errors.ts';
import type { Life } from '../life.ts';

/**
 * Refuses to place anything on a machine that is missing, dying or dead, and a unit on a machine whose base differs
 * from its application's. The controller checks before it makes anything, clients before they upload a charm. Errors:
 * `not found`, '' (dying, dead), `incompatible base`.
 */
export function checkPlacedOn<M extends { readonly life: Life; readonly base: Base }>(
  id: string,
  machine: M | undefined,
  application?: { readonly name: string; readonly base: Base },
): asserts machine is M {
  if (!machine) throw new JujuError('not found', `machine ${id} not found`);
  if (machine.life !== 'alive') throw new JujuError('', `machine ${id} is ${machine.life}`);
  if (application && !sameBase(machine.base, application.base))
    throw new JujuError(
      'incompatible base',
      `base does not match: machine ${id} has ${formatBase(machine.base)}, application "${application.name}" ${formatBase(application.base)}`,
    );
}
