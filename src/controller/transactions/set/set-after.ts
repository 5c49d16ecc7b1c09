import { JujuError } from '../../../core/errors.ts';
import { checkAfter } from '../../../core/gates/gate.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { newGates } from '../shared/gates.ts';
import { settleRequirements } from '../shared/requirements.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Replaces what the application comes after. Gates that are open stay so, whatever health they are to have now. Errors:
 * `not found`; those of checkAfter and newGates; '' for a dying application.
 */
export function setAfter(
  tx: Tx,
  args: { readonly application: string; readonly after: Readonly<Record<string, string>> },
): Settled {
  const { after: before, ...rest } = mustGet(tx, 'application', args.application);
  const { name, life } = rest;
  if (life !== 'alive') throw new JujuError('', `application "${name}" is ${life}`);
  const after = newGates(tx, name, checkAfter(name, args.after), before);
  tx.put('application', name, after ? { ...rest, after } : rest);
  return settleRequirements(tx, [name]);
}
