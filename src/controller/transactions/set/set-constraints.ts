import type { Constraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * set-constraints: replaces all constraints of an application; later units get them.
 * Errors: `not found`, '' (subordinate, not alive).
 */
export function setConstraints(tx: Tx, args: { application: string; constraints: Constraints }): void {
  const application = mustGet(tx, 'application', args.application);
  if (application.subordinate)
    throw new JujuError('', 'cannot set constraints: constraints do not apply to subordinate applications');
  if (application.life !== 'alive')
    throw new JujuError('', `cannot set constraints: application "${application.name}" is no longer alive`);
  tx.put('application', application.name, { ...application, constraints: args.constraints });
}

/** set-model-constraints, in the model's space: base constraints of later machines and units. Errors: `not found`. */
export function setModelConstraints(tx: Tx, args: { constraints: Constraints }): void {
  const model = mustGet(tx.in(''), 'model', tx.space);
  tx.in('').put('model', model.uuid, { ...model, constraints: args.constraints });
}
