/** Steps of operators, agents and workers, as plain data. */

/** Longest wait of --force, in milliseconds (--no-wait = 0); absent = not forced. */
interface Forceable {
  readonly force?: number;
}

/** Steps of operators, and external events. */
export type Command =
  | {
      readonly do: 'deploy';
      readonly application: string;
      readonly charm: CharmName;
      readonly units: number;
      readonly require?: readonly string[];
      /** Application that has to be healthy first. */
      readonly after?: string;
    }
  /** Opens the gate of an application, as the gate keeper does once the other one was healthy. */
  | { readonly do: 'open-gate'; readonly application: string; readonly after: string }
  | { readonly do: 'require-endpoints'; readonly mode: 'declared' | 'all' | 'none' }
  /** Adds units. `to`: placed on that machine. `container`: in a new container on it, or on a new machine. */
  | {
      readonly do: 'add-unit';
      readonly application: string;
      readonly to?: string;
      readonly container?: true;
      /** Storage that the unit takes over. */
      readonly attach?: string;
    }
  | { readonly do: 'add-machine'; readonly to?: string; readonly container?: true }
  /** Endpoints, the requirer's first: `['web:db', 'db:server']`. */
  | { readonly do: 'integrate'; readonly ends: Ends }
  /** Removes a unit; `destroy`: with its storage. */
  | ({ readonly do: 'remove-unit'; readonly unit: string; readonly destroy?: true } & Forceable)
  | ({ readonly do: 'remove-application'; readonly application: string; readonly destroy?: true } & Forceable)
  | ({ readonly do: 'remove-relation'; readonly ends: Ends } & Forceable)
  | ({ readonly do: 'remove-machine'; readonly machine: string; readonly keep?: boolean } & Forceable)
  | ({ readonly do: 'destroy-model'; readonly storage?: 'destroy' | 'release' } & Forceable)
  | { readonly do: 'attach-storage'; readonly storage: string; readonly unit: string }
  | { readonly do: 'detach-storage'; readonly storage: string }
  /** Imports the volume that is in the cloud before the model. */
  | { readonly do: 'import-filesystem' }
  /** Removes a storage. `detach`: also from a unit that uses it. `release`: its data stay in the cloud. */
  | {
      readonly do: 'remove-storage';
      readonly storage: string;
      readonly detach?: true;
      readonly release?: true;
    }
  /** Lets time pass. */
  | { readonly do: 'wait'; readonly ms: number }
  /** The agents of the machine, its units and containers are lost permanently. */
  | { readonly do: 'lose-agent'; readonly machine: string };

/** Steps of agents and workers. */
export type Move =
  | {
      readonly do: 'deployed' | 'destroy-orphan' | 'destroy-subordinates' | 'recall' | 'unit-dead';
      readonly unit: string;
    }
  | {
      readonly do: 'enter' | 'leave' | 'prepare-leave';
      readonly unit: string;
      /** Relation's id, as text. */
      readonly relation: string;
    }
  | { readonly do: 'machine-dead'; readonly machine: string }
  /** Step of a machine's agent, which also makes and erases storage on the machine's own disk. */
  | { readonly do: 'make' | 'mount' | 'unmount' | 'erase'; readonly storage: string }
  | { readonly do: 'release-storage'; readonly unit: string; readonly storage: string }
  /** Step in which the import's caller stops waiting. */
  | { readonly do: 'give-up-import'; readonly storage: string }
  /** Next step of the storage worker; `-unrecorded`: up to a crash before the step is written down. */
  | { readonly do: 'volume' | 'volume-unrecorded'; readonly storage: string }
  /**
   * The provisioner's next act about the machine (for a container: its host agent's), up to a crash right after it;
   * `-vainly`: the provider fails to stop anything.
   */
  | { readonly do: 'provision' | 'provision-vainly'; readonly machine: string }
  /** The worker's next change, up to a crash right after it. */
  | { readonly do: 'clean' | 'place' | 'undertake' };

export type Step = Command | Move;
export type StorageStep = Extract<Step, { readonly do: StorageVerb }>;
export type StorageVerb =
  | 'attach-storage'
  | 'detach-storage'
  | 'remove-storage'
  | 'import-filesystem'
  | 'give-up-import'
  | 'make'
  | 'erase'
  | 'mount'
  | 'unmount'
  | 'release-storage'
  | 'volume'
  | 'volume-unrecorded';
export type Ends = readonly [requirer: string, provider: string];
export type CharmName = 'db' | 'log' | 'ring' | 'ship' | 'safe' | 'shop' | 'store' | 'web';

/**
 * Charms of the worlds. `web` can have a `db`, `log` runs beside either and may send what it reads to a `db`; `db` has
 * peers. `shop` and `ship` are like them and require a `db`; one `ring` requires the next. A unit of `store` may have a
 * storage, and gets one of the cloud; a unit of `safe` gets a storage on its machine's own disk.
 */
export const charms = {
  db: { provides: { server: 'sql', sink: 'syslog' }, peers: { cluster: 'sql-cluster' } },
  web: { requires: { db: 'sql' } },
  log: {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' }, sink: 'syslog' },
  },
  shop: { requires: { db: { interface: 'sql', optional: false } } },
  ship: {
    subordinate: true,
    requires: {
      info: { interface: 'juju-info', scope: 'container' },
      sink: { interface: 'syslog', optional: false },
    },
  },
  store: { storage: { data: { type: 'filesystem', multiple: { range: '0-1' } } } },
  safe: {
    requires: { db: 'sql' },
    storage: { data: { type: 'filesystem', multiple: { range: '0-1' } } },
  },
  ring: { provides: { prev: 'ring' }, requires: { next: { interface: 'ring', optional: false } } },
} as const satisfies Record<CharmName, object>;

/** Formats the step as text: `remove-unit unit=web/0 force=0`. */
export function sayStep({ do: what, ...rest }: Step): string {
  const args = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`);
  return [what, ...args].join(' ');
}
