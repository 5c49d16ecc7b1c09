import { JujuError } from '../../../core/errors.ts';
import { unitApplication } from '../../../core/names.ts';
import { parseTag } from '../../../wire/tags.ts';
import { leaderOf } from '../../transactions/leadership.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';

export interface Receiver {
  readonly kind: 'unit' | 'machine';
  readonly name: string;
}

/** `unit-x-0`, `machine-0` or `x/leader`. Errors: `not found`, '' (tag). */
export function receiverOf(tx: Tx, text: string): Receiver {
  if (text.endsWith('/leader')) return unitReceiver(tx, text);
  const { kind, id } = parseTag(text);
  if (kind !== 'unit' && kind !== 'machine')
    throw new JujuError('', `"${text}" is not a valid unit or machine tag`);
  mustGet(tx, kind, id);
  return { kind, name: id };
}

/** `x/0`, or whoever leads now for `x/leader`. Errors: `not found`. */
export function unitReceiver(tx: Tx, name: string): Receiver {
  if (!name.endsWith('/leader')) return { kind: 'unit', name: mustGet(tx, 'unit', name).name };
  const application = mustGet(tx, 'application', unitApplication(name));
  const leader = leaderOf(tx, application.name, tx.now);
  if (leader === '') throw new JujuError('not found', `could not determine leader for "${application.name}"`);
  return { kind: 'unit', name: leader };
}
