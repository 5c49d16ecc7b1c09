import { JujuError, notFound, notValid } from '../../../core/errors.ts';
import { isSpaceName } from '../../../core/names.ts';
import { hasSpace } from '../../../core/network/address-space.ts';
import { defaultSpace } from '../../../core/space/document.ts';
import { changeUses, putSubnets } from '../shared/spaces.ts';
import type { Tx } from '../tx.ts';

/**
 * Renames a space, and everything that names it (networks.md#renamed-space); machines that run follow by
 * `changeMachines`, which `endRename` ends. Errors: `not found`, `already exists`, `not valid` (name), '' (default
 * space), `try again` (renamed, and not ended).
 */
export function renameSpace(tx: Tx, { from, to }: { readonly from: string; readonly to: string }): void {
  if (from === defaultSpace) throw new JujuError('', `the "${defaultSpace}" space cannot be renamed`);
  const space = tx.get('space', from);
  if (!space) throw notFound('space', from);
  if (!isSpaceName(to)) throw notValid(`"${to}" is not a valid space name`);
  if (hasSpace(to, (name) => tx.get('space', name)))
    throw new JujuError('already exists', `space "${to}" already exists`);
  tx.remove('space', from);
  if (space.formerly !== undefined)
    throw new JujuError('try again', `space "${from}" is still being renamed from "${space.formerly}"`);
  tx.put('space', to, { ...space, name: to, formerly: from });
  const subnets = [...tx.find('subnet', 'space', from)].map(({ cidr }) => cidr);
  putSubnets(tx, subnets, to);
  changeUses(tx, { from, to });
}

/** Ends a rename, once all machines have the new name. */
export function endRename(tx: Tx, name: string): void {
  const space = tx.get('space', name);
  if (space?.formerly === undefined) return;
  const { formerly: _, ...rest } = space;
  tx.put('space', name, rest);
}
