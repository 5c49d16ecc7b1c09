import { JujuError, notFound } from '../../../core/errors.ts';
import { usesOfSpace, type SpaceUses } from '../../../core/network/space-uses.ts';
import { defaultSpace } from '../../../core/space/document.ts';
import { changeUses, putSubnets } from '../shared/spaces.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/**
 * Removes a space; its subnets go to the default space. A space that constraints or endpoints name stays, unless it is
 * forced: then the constraints no longer name it, and the endpoints are bound to the default space
 * (networks.md#removed-space). Returns what uses the space.
 * Errors: `not found`; '' (default space; a use that Juju's answer has no place for).
 */
export function removeSpace(
  tx: Tx,
  { name, force }: { readonly name: string; readonly force: boolean },
): SpaceUses {
  const uses = removableSpace(tx, name);
  if (!force) {
    if (isUsed(uses)) return uses;
    refuseOthers(name, uses);
  }
  const subnets = [...tx.find('subnet', 'space', name)].map(({ cidr }) => cidr);
  putSubnets(tx, subnets, defaultSpace);
  changeUses(tx, { from: name });
  tx.remove('space', name);
  return uses;
}

/** Uses of a space that is to be removed. Errors: `not found`; '' for the default space. */
export function removableSpace(view: View, name: string): SpaceUses {
  if (name === defaultSpace) throw new JujuError('', `the ${defaultSpace} space cannot be removed`);
  if (!view.get('space', name)) throw notFound('space', name);
  return usesOfSpace(name, {
    applications: view.list('application'),
    model: mustGet(view.in(''), 'model', view.space),
  });
}

/** Whether the space is used in a way that keeps it, and that the answer to a removal tells. */
export function isUsed({ constraints, modelConstraint, bindings }: SpaceUses): boolean {
  return constraints.length > 0 || modelConstraint || bindings.length > 0;
}

function refuseOthers(name: string, { exposed, isDefault }: SpaceUses): void {
  if (exposed.length > 0)
    throw new JujuError('', `cannot remove space "${name}": exposed to it: ${exposed.join(', ')}`);
  if (isDefault) throw new JujuError('', `cannot remove space "${name}": it is the model's default-space`);
}
