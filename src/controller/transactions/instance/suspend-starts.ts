import { cut, limits } from '../../../core/limits.ts';
import { statusId } from '../../../core/status.ts';
import type { Suspension } from '../../../provisioning/records.ts';
import { setStatus, type Tx, type View } from '../tx.ts';

/**
 * Records once, on the model, that its starts wait for its account, or (undefined) that they go on. The status of a
 * dying model stays.
 */
export function suspendStarts(tx: Tx, suspension: Suspension | undefined): void {
  const status = tx.get('status', statusId('model', ''))?.status ?? 'available';
  if (status !== 'available' && status !== 'suspended') return;
  if (!suspension) {
    if (status === 'suspended') setStatus(tx, 'model', '', 'available');
    return;
  }
  const { class: cause, at } = suspension;
  const message = cut(limits.statusMessage, suspension.message);
  const text = `${message}; next try at ${at.slice(11, 19)}Z`;
  setStatus(tx, 'model', '', 'suspended', text, { class: cause, message, next: at });
}

/** Suspension that was recorded last; undefined: starts go on. */
export function suspensionOf(view: View): Suspension | undefined {
  const status = view.get('status', statusId('model', ''));
  const { class: cause, message, next } = status?.data ?? {};
  if (status?.status !== 'suspended' || typeof message !== 'string' || typeof next !== 'string')
    return undefined;
  if (cause !== 'quota' && cause !== 'credential') return undefined;
  return { class: cause, message, at: next };
}
