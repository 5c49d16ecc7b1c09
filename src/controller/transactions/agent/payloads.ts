import type { Payload } from '../../../core/payloads/document.ts';
import { changedPayloads, type PayloadChange } from '../../../core/payloads/payloads.ts';
import type { Tx } from '../tx.ts';
import { liveUnit } from './unit-agent.ts';

/** Changes one payload of a unit. Idempotent. Errors: `not found`, `dead`, and those of changedPayloads. */
export function changePayload(
  tx: Tx,
  args: Pick<Payload, 'class' | 'id'> & { readonly unit: string; readonly change: PayloadChange },
): void {
  const unit = liveUnit(tx, args.unit).name;
  const before = tx.get('payloads', unit)?.payloads ?? {};
  const payloads = changedPayloads(before, args);
  if (payloads !== before) tx.put('payloads', unit, { unit, payloads });
}
