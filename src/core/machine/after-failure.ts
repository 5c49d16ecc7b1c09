/** The reaction to a failed start, with what Juju does instead: machines.md#failure-classes. */
import type { FailureClass } from './failure.ts';

export type NextStart =
  /** Retry at once, in another zone. */
  | { readonly kind: 'again'; readonly failedZones: readonly string[] }
  /** Retry after a delay that grows with each attempt, without limit. */
  | { readonly kind: 'later'; readonly failedZones: readonly string[] }
  /** Suspend this start together with all others of the model, until the cause of the failure class is repaired. */
  | { readonly kind: 'suspended' }
  /** Retry only on request: retry-provisioning, resolved. */
  | { readonly kind: 'never' };

/**
 * Decides what follows a failed start. Each zone is tried once per round; when all have failed, a new round begins
 * after a delay. A problem of the account suspends every machine's start, and a request that can never succeed is not
 * repeated.
 */
export function afterFailure({
  class: failure,
  zone,
  usable,
  failed,
  ran = false,
}: {
  readonly class: FailureClass;
  /** The zone that was requested; absent where the cloud has no zones, or no zone could be requested. */
  readonly zone?: string;
  /** The zones that the machine may be in (usableZones). */
  readonly usable: readonly string[];
  /** The zones in which starts failed in this round. */
  readonly failed: readonly string[];
  /** Whether the instance ran before and is started again: its request has worked, and it stays in its zone. */
  readonly ran?: boolean;
}): NextStart {
  if (ran && (failure === 'bad request' || failure === 'zonal'))
    return { kind: 'later', failedZones: failed };
  switch (failure) {
    case 'bad request':
      return { kind: 'never' };
    case 'quota':
    case 'credential':
      return { kind: 'suspended' };
    case 'transient':
      return { kind: 'later', failedZones: failed };
    case 'zonal': {
      const failedZones = zone === undefined ? failed : [...failed, zone];
      const isAnyLeft = zone !== undefined && usable.some((one) => !failedZones.includes(one));
      return isAnyLeft ? { kind: 'again', failedZones } : { kind: 'later', failedZones: [] };
    }
  }
}
