import { JujuError } from '../../../core/errors.ts';
import { resourceOfUnit } from '../shared/resources.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Records that the unit has the content on its machine. A content that was replaced meanwhile is not recorded: the unit
 * gets the new one at its next `resource-get`. Errors: `not found`.
 */
export function recordUnitResource(
  tx: Tx,
  args: { readonly unit: string; readonly name: string; readonly fingerprint: string },
): void {
  const unit = mustGet(tx, 'unit', args.unit);
  const { doc } = resourceOfUnit(tx, unit, args.name);
  if (!doc) throw new JujuError('not found', `resource "${args.name}" not found`);
  if (doc.fingerprint !== args.fingerprint) return;
  const { origin, revision, fingerprint, size, username, timestamp } = doc;
  const before = tx.get('unit-resources', unit.name)?.resources ?? {};
  const known = Object.hasOwn(before, args.name) ? before[args.name] : undefined;
  if (known?.fingerprint === fingerprint && known.timestamp === timestamp) return;
  tx.put('unit-resources', unit.name, {
    unit: unit.name,
    resources: { ...before, [args.name]: { origin, revision, fingerprint, size, username, timestamp } },
  });
}
