import type { Call } from '../../facade.ts';
import type { ForceRequest } from '../../transactions/end/force.ts';

/** End of storage that outlives its machines, as a client requests it. */
export function storageEnd(destroy: boolean | undefined): { storageEnd?: 'destroy' | 'release' } {
  return destroy === undefined ? {} : { storageEnd: destroy ? 'destroy' : 'release' };
}

/** Time that agents have when the client names none (removal.md#force-default-wait). */
const defaultWaitMs = 60_000;

/** Force request of a client; `max-wait` comes in nanoseconds. */
export function forceRequest(
  call: Call,
  params: { readonly force?: boolean | undefined; readonly 'max-wait'?: number | undefined },
): { force?: ForceRequest } {
  if (!params.force) return {};
  const wait = params['max-wait'];
  return { force: { maxWaitMs: wait === undefined ? defaultWaitMs : wait / 1e6, by: call.by } };
}
