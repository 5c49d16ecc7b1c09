import { isCidr, networkOf } from '../../../core/cidr.ts';
import { JujuError, notFound, notValid } from '../../../core/errors.ts';
import { isSpaceName } from '../../../core/names.ts';
import { hasSpace } from '../../../core/network/address-space.ts';
import { putSubnets } from '../shared/spaces.ts';
import { aliveModel, takeNumbers, type Tx } from '../tx.ts';

/**
 * Makes a space of known subnets, which leave their old space.
 * Errors: `not valid` (name, CIDR), `already exists`, `not found` (subnet), '' (dying model).
 */
export function createSpace(
  tx: Tx,
  { name, cidrs }: { readonly name: string; readonly cidrs: readonly string[] },
): void {
  aliveModel(tx);
  if (!isSpaceName(name)) throw notValid(`"${name}" is not a valid space name`);
  if (hasSpace(name, (id) => tx.get('space', id)))
    throw new JujuError('already exists', `space "${name}" already exists`);
  const subnets = cidrs.map((text) => {
    if (!isCidr(text)) throw notValid(`"${text}" is not a valid CIDR`);
    const cidr = networkOf(text);
    if (cidr === undefined || !tx.get('subnet', cidr)) throw notFound('subnet', text);
    return cidr;
  });
  tx.put('space', name, { id: String(takeNumbers(tx, 'space') + 1), name, createdAt: tx.now });
  putSubnets(tx, subnets, name);
}
