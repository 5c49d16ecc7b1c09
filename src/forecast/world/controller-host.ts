/** A controller in a simulated world: its process, composed as the real one is, on a host whose disk outlives it. */
import { createSecretKey } from 'node:crypto';
import { hashSecret, verifySecret } from '../../controller/passwords.ts';
import type { PasswordCheck } from '../../controller/password-check.ts';
import { matchSocketPath } from '../../controller/server/routes.ts';
import { openSessions } from '../../controller/server/sessions.ts';
import type { AgentBundles } from '../../controller/agent-bundles.ts';
import { defined } from '../../core/defined.ts';
import { indexes } from '../../core/documents.ts';
import type { Entities } from '../../core/kinds.ts';
import { refuseFrozen } from '../../core/migration/frozen.ts';
import { admit } from '../../core/quotas.ts';
import { TurnWatch } from '../../kit/turn-watch.ts';
import {
  composeController,
  type ComposedController,
  type ControllerParts,
} from '../../main/controller/compose.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { MemoryContents } from '../../store/memory-contents.ts';
import { MirroredStore } from '../../store/mirror/mirrored-store.ts';
import type { Reader } from '../../store/store.ts';
import type { SimDisk } from './disk.ts';
import { MemoryArriving, MemoryBlobs, MemoryLogs } from './memory-files.ts';
import type { SimHost, SimNetwork } from './network.ts';
import { SimProcess, type HostTime } from './process.ts';
import { createRandom, type Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export const controllerAddress = '10.255.0.1:17070';
const restartMs = [500, 10_000] as const;

export interface ControllerHostOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly network: SimNetwork;
  readonly disk: SimDisk;
  readonly provider: Provider;
  /** UUID of the controller; absent = one of the seed. */
  readonly uuid?: string;
  /** Name of the controller's processes; absent = `controller`. */
  readonly processName?: string;
  /** Address as `host:port`; absent = controllerAddress. */
  readonly address?: string;
  /** CA certificate in PEM; absent = a text that is none. */
  readonly caCert?: string;
  readonly bundles: AgentBundles;
  /** Parts that differ between worlds, for a process that starts. */
  readonly parts: (
    process: SimProcess,
  ) => Pick<ControllerParts, 'between' | 'elsewhere' | 'vaultTransport' | 'validate' | 'passwords'>;
  readonly fail: (what: string, error?: unknown) => void;
  /** Work on the store that a start does before it serves; undefined = there is none. */
  readonly beforeServing?: (store: MirroredStore<Entities>) => Promise<void> | undefined;
}

/** A process of the controller, with what it has opened. */
export interface RunningController {
  readonly process: SimProcess;
  readonly store: MirroredStore<Entities>;
  readonly composed: ComposedController;
}

/** Passwords that cost no time: worlds on a virtual clock have nobody who guesses. */
export const plainPasswords: PasswordCheck = {
  hash: (password) => Promise.resolve(hashSecret(password)),
  remembers: () => false,
  verify: (password, hash) => Promise.resolve(verifySecret(password, hash)),
  renewed: () => Promise.resolve(undefined),
};

export class ControllerHost {
  readonly uuid: string;
  readonly address: string;
  /** Name of the host. */
  readonly name: string;
  readonly port: number;
  crashes = 0;
  readonly errors: { at: number; line: string }[] = [];
  readonly contents = new MemoryContents();
  readonly blobs = new MemoryBlobs();
  running: RunningController | undefined;
  readonly #options: ControllerHostOptions;
  readonly #processName: string;
  readonly #time: HostTime = { offset: 0 };
  readonly #logs = new MemoryLogs();
  readonly #random: Random;
  readonly host: SimHost;
  #runs = 0;
  #dieAt: number | undefined;
  #start = 0;

  constructor(options: ControllerHostOptions) {
    this.#options = options;
    const { seed, address = controllerAddress, processName = 'controller' } = options;
    const [name = '', port] = address.split(':');
    this.address = address;
    this.name = name;
    this.port = Number(port);
    this.host = { name, cutUntil: 0, off: false };
    this.#processName = processName;
    this.#random = createRandom(seed, `${processName} host`);
    this.uuid = options.uuid ?? this.#random.uuid();
  }

  get up(): boolean {
    return this.running?.process.alive ?? false;
  }
  get steps(): number {
    return this.running?.process.steps ?? 0;
  }

  /** Runs `work` on the store with a process of its own, before the controller's first start. */
  async prepare(work: (store: MirroredStore<Entities>) => Promise<void>): Promise<void> {
    const process = this.#newProcess(this.#processName.replace(/^controller/, 'bootstrap'));
    await work(this.#openStore(process));
    process.kill();
  }

  /** Returns the durable documents, also while the controller is down. */
  read(): Reader<Entities> {
    return this.#options.disk.read();
  }

  crash(): void {
    this.running?.process.kill();
  }
  crashAtStep(step: number): void {
    if (this.up) this.running?.process.dieAtStep(step);
    else this.#dieAt = step;
  }
  crashSoon(steps: number): void {
    this.running?.process.dieAtStep(this.steps + steps);
  }
  heal(): void {
    this.running?.process.dieAtStep(undefined);
    this.#dieAt = undefined;
    this.start();
  }
  jumpClock(ms: number): void {
    this.#time.offset += ms;
  }

  /** Starts the controller at once, when it is down. */
  start(): void {
    if (this.up) return;
    this.#start++;
    const process = this.#newProcess(this.#processName);
    process.dieAtStep(this.#dieAt);
    this.#dieAt = undefined;
    process.onDeath(() => {
      this.crashes++;
      this.#startAfter(this.#random.skewed(...restartMs));
    });
    this.blobs.restarted();
    const store = this.#openStore(process);
    const composed = this.#compose(process, store);
    this.running = { process, store, composed };
    const before = this.#options.beforeServing?.(store);
    // A start that fails ends its process, and its supervisor tries again.
    if (before)
      void before.then(
        () => this.#serve(process, composed),
        () => process.kill(),
      );
    else this.#serve(process, composed);
  }

  #serve(process: SimProcess, composed: ComposedController): void {
    const sessions = openSessions(composed.context);
    const { address } = this;
    this.#options.network.listen(address, {
      process,
      host: this.host,
      onConnection(socket, { path, remote }) {
        const match = matchSocketPath(path);
        if (match) sessions.accept(socket, { modelUuid: match.modelUuid, remote, host: address });
        else socket.terminate();
      },
    });
    composed.startWorkers();
  }

  #startAfter(delay: number): void {
    const turn = ++this.#start;
    this.#options.scheduler.after(delay, this.#processName, 'restart', () => {
      if (turn === this.#start) this.start();
    });
  }

  #newProcess(name: string): SimProcess {
    const { scheduler, seed } = this.#options;
    return new SimProcess({ scheduler, name, run: `run ${++this.#runs}`, seed, time: this.#time });
  }

  #openStore(process: SimProcess): MirroredStore<Entities> {
    return new MirroredStore<Entities>({
      journal: this.#options.disk.open(process),
      indexes,
      admit,
      permit: refuseFrozen,
      now: () => process.clock.now(),
      newUuid: () => process.random.uuid(),
      nextTurn: process.nextTurn,
      onWatcherError: (error) => this.#options.fail('a watcher of the store failed', error),
    });
  }

  #compose(process: SimProcess, store: MirroredStore<Entities>): ComposedController {
    const { provider, scheduler, parts, bundles, caCert = 'simulated' } = this.#options;
    const { between, elsewhere, vaultTransport, validate, passwords } = parts(process);
    return composeController({
      store,
      contents: this.contents,
      ...defined({ vaultTransport, between, elsewhere, validate, passwords }),
      arrivingContents: new MemoryArriving(this.blobs),
      logs: this.#logs,
      blobs: this.blobs,
      clock: process.clock,
      nextTurn: process.nextTurn,
      turns: TurnWatch.none,
      random: () => process.random.next(),
      randomBytes: (n) => Uint8Array.from({ length: n }, () => Math.floor(process.random.next() * 256)),
      onLog: ({ level, module, message }) => {
        if (!process.alive) return;
        scheduler.trace.note(process.name, level, `${module} ${message}`);
        if (level !== 'ERROR' && level !== 'CRITICAL') return;
        this.errors.push({ at: scheduler.now, line: `${module} ${message}` });
        // An internal error is a failure of the world, unless the disk caused it.
        if (message.startsWith('request failed') && !message.includes('could not be stored'))
          this.#options.fail(`the controller: ${message}`);
      },
      providers: new Map([[provider.type, provider]]),
      hosts: [this.name],
      apiPort: this.port,
      stateDir: '',
      dataDir: '',
      agentKey: createSecretKey(Buffer.alloc(32, this.uuid)),
      caCert,
      toolsDir: '',
      reportFiles: () => Promise.resolve({ blobs: { count: 0, bytes: 0 }, logs: [] }),
      uploadsDir: '/nowhere',
      bundles,
    });
  }
}
