/** What follows a failed start, and what Juju does instead: machines.md#failure-classes. */
import type { FailureClass } from './failure.ts';

export type NextStart =
  /** In another zone, at once. */
  | { readonly kind: 'again'; readonly failedZones: readonly string[] }
  /** After a while, longer each time, without end. */
  | { readonly kind: 'later'; readonly failedZones: readonly string[] }
  /** With all other machines', when what the class says is repaired. */
  | { readonly kind: 'suspended' }
  /** When somebody has repaired it: retry-provisioning, resolved. */
  | { readonly kind: 'never' };

/**
 * A zone is tried once in a round; when all have failed they are tried anew, after a while. What is wrong with the
 * account is wrong for every machine, and what will never work is not tried again.
 */
export function afterFailure({
  class: failure,
  zone,
  usable,
  failed,
  ran = false,
}: {
  readonly class: FailureClass;
  /** That was asked for; absent where there are none, or none could be asked for now. */
  readonly zone?: string;
  /** That the machine may be in (usableZones). */
  readonly usable: readonly string[];
  /** Where its starts have failed before, in this round. */
  readonly failed: readonly string[];
  /** Its instance was there, and is started again: what it asks for has worked, and it is where it is. */
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
