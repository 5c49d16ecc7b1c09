import { isoTime } from '../../../kit/clock.ts';
import type { Call } from '../../facade.ts';

/** Present time (RFC 3339, UTC) for a read: a transaction has its own `tx.now`. */
export function now(call: Call): string {
  return isoTime(call.services.clock);
}
