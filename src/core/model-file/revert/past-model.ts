import type { LiveModel } from '../plan.ts';

/** Where a file of the past is today: the model uses it, or it is kept, or neither. */
type Whereabouts = 'used' | 'kept' | 'gone';

/** A model as it was at a revision, and what is left of what it used. */
export interface PastModel {
  readonly revision: number;
  /** RFC 3339; '' = the oldest that is known. */
  readonly time: string;
  readonly live: Omit<LiveModel, 'owned' | 'bundle'> & {
    readonly bundle: Pick<LiveModel['bundle'], 'state'>;
  };
  /** Archives by the URLs of the applications' charms. */
  readonly charms: ReadonlyMap<string, Whereabouts>;
  readonly resources: readonly PastResource[];
  /** Contents of users' secrets, by name. */
  readonly secrets: ReadonlyMap<string, Whereabouts>;
  /** Machines of today that were not there and that do not go with their last unit. */
  readonly addedMachines: readonly string[];
  /** Users with access then who are no longer there. */
  readonly missingUsers: readonly string[];
}

/** A content of a resource; `used` = the application of that name has it. */
interface PastResource {
  readonly application: string;
  readonly name: string;
  readonly content: Whereabouts;
}

export const leftKinds = ['application', 'relation', 'saas', 'access', 'secret', 'storage-pool'] as const;

/** A thing that a revert leaves other than it was. */
export interface Left {
  readonly kind: (typeof leftKinds)[number];
  readonly name: string;
  /** A sentence without its full stop. */
  readonly text: string;
}
