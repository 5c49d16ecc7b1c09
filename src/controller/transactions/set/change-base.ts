import type { ApplicationDoc } from '../../../core/application/document.ts';
import { formatBase, sameBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkBase } from '../../../core/application/check-refresh.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Sets the base of an application's later machines (refresh.md#refreshed-base); nothing changes for units that have
 * one. Errors: '' when an application that shares machines with it has another base.
 */
export function changeBase(tx: Tx, { name, base: before }: ApplicationDoc, base: Base): void {
  if (sameBase(before, base)) return;
  for (const { key, endpoints } of tx.find('relation', 'application', name))
    for (const { application: other, scope } of endpoints) {
      if (scope !== 'container' || other === name) continue;
      const its = tx.get('application', other)?.base;
      if (its && !sameBase(its, base))
        throw new JujuError(
          '',
          `cannot change the base of application "${name}" to ${formatBase(base)}: relation "${key}" puts it on machines with "${other}", which has ${formatBase(its)}`,
        );
    }
  for (const unit of tx.find('unit', 'application', name))
    if (unit.unplaced) tx.put('unit', unit.name, { ...unit, base });
}

/**
 * Gives an application another base without another charm. Errors: `not found`; `not supported` for a subordinate;
 * those of checkBase and changeBase.
 */
export function updateBase(
  tx: Tx,
  args: { readonly application: string; readonly base: Base; readonly force: boolean },
): void {
  const application = mustGet(tx, 'application', args.application);
  const { name, charmOrigin } = application;
  if (application.subordinate)
    throw new JujuError(
      'not supported',
      `application "${name}" is a subordinate, which has its principal's base`,
    );
  checkBase(args.base, mustGet(tx, 'charm', application.charmUrl).bases, args.force);
  changeBase(tx, application, args.base);
  const { base } = args;
  tx.put('application', name, { ...application, base, charmOrigin: { ...charmOrigin, base } });
}
