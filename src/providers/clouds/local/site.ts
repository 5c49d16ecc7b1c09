import type { OpenParams } from '../../contract/provider.ts';
import type { Capabilities } from './capabilities.ts';
import type { Locks } from '../../../kit/locks.ts';
import type { Roots } from './roots.ts';
import type { Wiring } from './wiring.ts';
import type { Zones } from './zones.ts';

export interface MachinesParams {
  readonly open: OpenParams;
  readonly capabilities: Capabilities;
  /** As configured. */
  readonly init: unknown;
  readonly locks: Locks;
  /** MiB of memory that nobody uses now. */
  readonly freeMemory: () => number;
  readonly site: (open: OpenParams) => Site;
}

/** Where machines are made: on the controller's host, or (containers) on one of its machines. */
export interface Site {
  /** Undefined: machines have the site's own network. */
  readonly wiring: Wiring | undefined;
  /** The root file systems that machines lie over. */
  readonly roots: Roots;
  readonly zones: Zones;
  /** It is a machine, with an agent of its own: what is made there are containers. */
  readonly within: boolean;
  /** Containers can be made in its machines. */
  readonly containers: boolean;
}
