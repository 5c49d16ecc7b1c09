import type { OpenParams } from '../../contract/provider.ts';
import type { Capabilities } from './capabilities.ts';
import type { Locks } from '../../../kit/locks.ts';
import type { Roots } from './roots.ts';
import type { Wiring } from './wiring.ts';
import type { Zones } from './zones.ts';

export interface MachinesParams {
  readonly open: OpenParams;
  readonly capabilities: Capabilities;
  /** Value of the model setting `init`. */
  readonly init: unknown;
  readonly locks: Locks;
  /** Returns the free memory in MiB. */
  readonly freeMemory: () => number;
  readonly site: (open: OpenParams) => Site;
}

/** Site where machines are created: the controller's host or, for containers, one of its machines. */
export interface Site {
  /** Network of the machines; undefined when they use the site's own. */
  readonly wiring: Wiring | undefined;
  /** Root file systems below the machines. */
  readonly roots: Roots;
  readonly zones: Zones;
  /** True when the site is a machine with an agent of its own: machines created there are containers. */
  readonly within: boolean;
  /** True when the site's machines can have containers. */
  readonly containers: boolean;
  /** True when machines without systemd run an ssh server: users have no other entry to them. */
  readonly sshServer: boolean;
}
