/** The controller: its process, composed as the real one is, on a host with a disk that outlives it. */
import { createSecretKey } from 'node:crypto';
import { hashSecret, verifySecret } from '../../controller/passwords.ts';
import { matchSocketPath } from '../../controller/server/routes.ts';
import { openSessions } from '../../controller/server/sessions.ts';
import { setResourceContent } from '../../controller/transactions/shared/resources.ts';
import { addCharm } from '../../controller/transactions/begin/add-charm.ts';
import { parseCharm } from '../../core/charm/parse-charm.ts';
import type { Entities } from '../../core/kinds.ts';
import { indexes } from '../../core/documents.ts';
import { admit } from '../../core/quotas.ts';
import { composeController, type ComposedController } from '../../main/controller/compose.ts';
import { createController } from '../../controller/transactions/begin/create-controller.ts';
import { TurnWatch } from '../../kit/turn-watch.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { MirroredStore } from '../../store/mirror/mirrored-store.ts';
import type { Reader } from '../../store/store.ts';
import { noBundles } from '../bundles.ts';
import { MemoryContents } from '../memory-contents.ts';
import { crossing } from './crossing.ts';
import type { SimDisk } from './disk.ts';
import type { Faults } from './faults.ts';
import { MemoryBlobs, MemoryLogs } from './memory-files.ts';
import type { SimHost, SimNetwork } from './network.ts';
import { SimProcess, type HostTime } from './process.ts';
import { createRandom, type Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimCharm, SimUpload, SimController } from './world.ts';
import type { SimVault } from './vault.ts';
import { defined } from '../../core/defined.ts';

export const controllerAddress = '10.255.0.1:17070';
export const userPassword = 'sesame';
const [controllerHost = '', apiPort = ''] = controllerAddress.split(':');
const restartMs = [500, 10_000] as const;

interface ControllerOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly network: SimNetwork;
  readonly disk: SimDisk;
  readonly vault: SimVault;
  readonly provider: Provider;
  readonly validate: boolean;
  readonly fail: (what: string, error?: unknown) => void;
}

export class ControllerHost implements SimController {
  readonly uuid: string;
  modelUuid = '';
  crashes = 0;
  readonly errors: { at: number; line: string }[] = [];
  readonly #options: ControllerOptions;
  readonly #host: SimHost = { name: controllerHost, cutUntil: 0, off: false };
  readonly #time: HostTime = { offset: 0 };
  readonly #blobs = new MemoryBlobs();
  readonly #logs = new MemoryLogs();
  readonly contents = new MemoryContents();
  readonly #random: Random;
  #process: SimProcess | undefined;
  #store: MirroredStore<Entities> | undefined;
  #composed: ComposedController | undefined;
  #runs = 0;
  #dieAt: number | undefined;
  #start = 0;
  #invalidSeen = 0;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed, 'controller host');
    this.uuid = this.#random.uuid();
  }

  get up(): boolean {
    return this.#process?.alive ?? false;
  }
  get steps(): number {
    return this.#process?.steps ?? 0;
  }

  /** Initialises the disk as bootstrap does. */
  async init(): Promise<void> {
    const { provider } = this.#options;
    const process = this.#newProcess('bootstrap');
    const store = this.#openStore(process);
    this.modelUuid = await store.change((tx) => {
      const modelUuid = tx.newUuid();
      createController(tx, {
        uuid: this.uuid,
        modelUuid,
        config: {
          name: 'simulated',
          cloud: { name: 'simulated', type: provider.type, region: 'default' },
          adminUser: 'admin',
        },
        cloudConfig: provider.validate({}),
        authTypes: Object.keys(provider.authTypes),
        passwordHash: hashSecret(userPassword),
        apiPort: Number(apiPort),
        host: {
          addresses: [controllerHost],
          base: { name: 'ubuntu', channel: '24.04/stable' },
          hardware: { arch: 'amd64', cores: 2, mem: 4096, rootDisk: 8192 },
        },
      });
      return modelUuid;
    }, 'bootstrap');
    process.kill();
  }

  read(): Reader<Entities> {
    return this.#options.disk.read();
  }

  crash(): void {
    this.#process?.kill();
  }
  crashAtStep(step: number): void {
    if (this.up) this.#process?.dieAtStep(step);
    else this.#dieAt = step;
  }
  crashSoon(steps: number): void {
    this.#process?.dieAtStep(this.steps + steps);
  }
  heal(): void {
    this.#process?.dieAtStep(undefined);
    this.#dieAt = undefined;
    this.start();
  }
  jumpClock(ms: number): void {
    this.#time.offset += ms;
  }

  start(): void {
    if (this.up) return;
    this.#start++;
    const process = this.#newProcess('controller');
    process.dieAtStep(this.#dieAt);
    this.#dieAt = undefined;
    this.#process = process;
    process.onDeath(() => {
      this.crashes++;
      this.#startAfter(this.#random.skewed(...restartMs));
    });
    this.#blobs.restarted();
    const store = this.#openStore(process);
    const composed = this.#compose(process, store);
    const sessions = openSessions(composed.context);
    this.#options.network.listen(controllerAddress, {
      process,
      host: this.#host,
      onConnection(socket, { path, remote }) {
        const match = matchSocketPath(path);
        if (match) sessions.accept(socket, { modelUuid: match.modelUuid, remote, host: '' });
        else socket.terminate();
      },
    });
    composed.startWorkers();
    this.#store = store;
    this.#composed = composed;
    this.#invalidSeen = 0;
  }

  /**
   * Ends an upload as storeCharm does once the archive has been read. Calls back with the URL, unless the process
   * dies. Ignored when the controller is down.
   */
  upload(modelUuid: string, charm: SimCharm, answer: (url: string | Error) => void): void {
    const store = this.#store;
    const process = this.#process;
    if (!store || !process?.alive) return answer(new Error('the controller is down'));
    const parsed = parseCharm({
      'metadata.yaml': { name: charm.name, summary: charm.name, description: charm.name, ...charm.metadata },
      ...defined({
        'config.yaml': charm.config,
        'actions.yaml': charm.actions,
        'lxd-profile.yaml': charm.lxdProfile,
      }),
    });
    process.after(0, 'upload', () => {
      void this.#blobs
        .keep(async () => {
          const blob = await this.#blobs.put(Buffer.from(charm.name));
          return store.change(
            (tx) => addCharm(tx.in(modelUuid), { charm: parsed, version: '', ...blob, revision: 0 }),
            'user-admin',
          );
        })
        .then(
          ({ url }) => answer(url),
          (error: unknown) => answer(error as Error),
        );
    });
  }

  /** Ends an upload as storeResource does once the content has been read and checked. Otherwise as upload. */
  attach(modelUuid: string, { content, ...target }: SimUpload, answer: (end?: Error) => void): void {
    const store = this.#store;
    const process = this.#process;
    if (!store || !process?.alive) return answer(new Error('the controller is down'));
    process.after(0, 'attach', () => {
      void this.#blobs
        .keep(async () => {
          const blob = await this.#blobs.put(Buffer.from(content));
          const given = { ...blob, fingerprint: blob.sha256, username: 'admin' };
          await store.change((tx) => setResourceContent(tx.in(modelUuid), target, given), 'user-admin');
        })
        .then(
          () => answer(),
          (error: unknown) => answer(error as Error),
        );
    });
  }

  /** Checks, between events, that the controller's answers matched their schemas. */
  check(): void {
    const invalid = this.#composed?.validationFailures ?? [];
    for (; this.#invalidSeen < invalid.length; this.#invalidSeen++) {
      const { facade, method, message } = invalid[this.#invalidSeen]!;
      this.#options.fail(`${facade}.${method} answered what its schema does not allow: ${message}`);
    }
  }

  #startAfter(delay: number): void {
    const turn = ++this.#start;
    this.#options.scheduler.after(delay, 'controller', 'restart', () => {
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
      now: () => process.clock.now(),
      newUuid: () => process.random.uuid(),
      nextTurn: process.nextTurn,
      onWatcherError: (error) => this.#options.fail('a watcher of the store failed', error),
    });
  }

  #compose(process: SimProcess, store: MirroredStore<Entities>): ComposedController {
    const { provider, scheduler, faults, validate, vault } = this.#options;
    return composeController({
      store,
      contents: this.contents,
      vaultTransport: vault.transport(process),
      between: crossing({ process, faults }),
      logs: this.#logs,
      blobs: this.#blobs,
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
      hosts: [controllerHost],
      apiPort: Number(apiPort),
      stateDir: '',
      dataDir: '',
      agentKey: createSecretKey(Buffer.alloc(32, this.uuid)),
      caCert: 'simulated',
      toolsDir: '',
      reportFiles: () => Promise.resolve({ blobs: { count: 0, bytes: 0 }, logs: [] }),
      uploadsDir: '/nowhere',
      bundles: noBundles,
      validate,
      passwords: {
        hash: (password) => Promise.resolve(hashSecret(password)),
        remembers: () => false,
        verify: (password, hash) => Promise.resolve(verifySecret(password, hash)),
        renewed: () => Promise.resolve(undefined),
      },
    });
  }
}
