/** The controllers of a world: one, or several between which models move. */
import type { Entities } from '../../core/kinds.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { asCommit } from '../../store/mirror/as-commit.ts';
import type { Commit, Reader } from '../../store/store.ts';
import { SimDisk } from '../../forecast/world/disk.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import type { SimNetwork } from '../../forecast/world/network.ts';
import type { Scheduler } from '../../forecast/world/scheduler.ts';
import { SimulatedController } from './controller-process.ts';
import { Owners } from './owners.ts';
import type { Trace } from './trace.ts';
import type { SimVault } from './vault.ts';
import type { SimController } from './world.ts';

interface ControllersOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly network: SimNetwork;
  readonly vault: SimVault;
  readonly provider: Provider;
  readonly validate: boolean;
  readonly trace: Trace;
  readonly fail: (what: string, error?: unknown) => void;
  readonly onCommit: (commit: Commit<Entities>, reader: Reader<Entities>) => void;
  /** Called when a controller has the data of a backup that was made then. */
  readonly onRestore: (madeMs: number) => void;
}

export class Controllers {
  readonly all: readonly SimulatedController[];
  /** The controller of the world; of several, all as one. */
  readonly joint: SimController;
  readonly #owners: Owners | undefined;
  readonly #disks: readonly SimDisk[];
  readonly #network: SimNetwork;

  constructor(count: number, { trace, onCommit, ...options }: ControllersOptions) {
    const { seed, faults, fail, network } = options;
    this.#network = network;
    const names = Array.from({ length: count }, (_, place) => (place === 0 ? '' : `-${place + 1}`));
    this.#disks = names.map((suffix) => new SimDisk({ seed, faults, name: `disk${suffix}` }));
    this.all = names.map(
      (suffix, place) =>
        new SimulatedController({
          ...options,
          at: (address) => this.at(address),
          disk: this.#disks[place]!,
          processName: `controller${suffix}`,
          address: `10.255.0.${place + 1}:17070`,
        }),
    );
    const owners = count === 1 ? undefined : new Owners(this.all, fail);
    this.#owners = owners;
    for (const [place, disk] of this.#disks.entries())
      disk.onDurable = (commit) => {
        trace.note(
          `disk${names[place]}`,
          'commit',
          `${commit.revision} ${commit.by} ${commit.changes.length}`,
        );
        const told = asCommit<Entities>(commit);
        const judged = owners ? owners.judge(place, told) : told;
        if (judged) onCommit(judged, owners ? owners.reader() : disk.read());
      };
    this.joint = owners ? jointController(this.all, owners) : this.all[0]!;
  }

  /** The controller that has the model, or whose own model it is; the first one for a model that nobody has. */
  having(model: string): SimulatedController {
    return this.all.find((one) => one.modelUuid === model) ?? this.all[this.#owners?.of(model) ?? 0]!;
  }

  /** The controller that listens at an address; undefined = none. */
  at(address: string): SimulatedController | undefined {
    return this.all.find((one) => one.address === address);
  }

  /** Number that changes with the durable state. */
  get revision(): number {
    return this.#disks.reduce((sum, { revision }) => sum + revision, 0);
  }

  async init(): Promise<void> {
    for (const one of this.all) await one.init();
  }

  start(): void {
    for (const one of this.all) one.start();
  }

  check(): void {
    for (const one of this.all) one.check();
  }

  /** Cuts one controller, or each, off from the others for this long. */
  cut(ms: number, which?: number): void {
    for (const [place, { host }] of this.all.entries())
      for (const [other, { host: theirs }] of this.all.entries())
        if (place < other && (which === undefined || which === place || which === other))
          this.#network.cut(host, theirs, ms);
  }

  heal(): void {
    this.#network.heal();
    for (const one of this.all) one.heal();
  }
}

/** Several controllers as one, with each model as it is where it is. */
function jointController(all: readonly SimulatedController[], owners: Owners): SimController {
  const [first] = all;
  if (!first) throw new RangeError('a world has a controller');
  return {
    uuid: first.uuid,
    get modelUuid() {
      return first.modelUuid;
    },
    get running() {
      return first.running;
    },
    get up() {
      return all.every(({ up }) => up);
    },
    get steps() {
      return first.steps;
    },
    get crashes() {
      return all.reduce((sum, { crashes }) => sum + crashes, 0);
    },
    get errors() {
      return all.flatMap(({ errors }) => errors);
    },
    address: first.address,
    contents: {
      get: (key) => all.map(({ contents }) => contents.get(key)).find((sealed) => sealed !== undefined),
      keys: (beginning) => all.flatMap(({ contents }) => contents.keys(beginning)),
    },
    read: () => owners.reader(),
    crash: () => first.crash(),
    crashAtStep: (step) => first.crashAtStep(step),
    backup: () => first.backup(),
    restore: () => first.restore(),
    get restoring() {
      return first.restoring;
    },
    start: () => all.forEach((one) => one.start()),
    jumpClock: (ms) => first.jumpClock(ms),
  };
}
