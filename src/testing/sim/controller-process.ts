/** The controller of a world that begins with its bootstrap; users upload charms and contents of resources to it. */
import { resumeRestores } from '../../controller/backups/settle-restore.ts';
import { hashSecret } from '../../controller/passwords.ts';
import { setResourceContent } from '../../controller/transactions/shared/resources.ts';
import { addCharm } from '../../controller/transactions/begin/add-charm.ts';
import { createController } from '../../controller/transactions/begin/create-controller.ts';
import { parseCharm, type CharmFiles } from '../../core/charm/parse-charm.ts';
import { defined } from '../../core/defined.ts';
import type { Restored } from '../../core/model/restored.ts';
import {
  ControllerHost,
  plainPasswords,
  type ControllerHostOptions,
} from '../../forecast/world/controller-host.ts';
import type { DiskCopy } from '../../forecast/world/disk.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import { noBundles } from '../bundles.ts';
import { crossing } from './crossing.ts';
import { simulatedCa, simulatedElsewhere } from './elsewhere.ts';
import type { SimCharm, SimUpload, SimController } from './world.ts';
import type { SimVault } from './vault.ts';
import { worldBegan } from './world.ts';

export const userPassword = 'sesame';

/** The files of a charm, as parsed. */
export function charmFilesOf({ name, metadata, config, actions, lxdProfile }: SimCharm): CharmFiles {
  return {
    'metadata.yaml': { name, summary: name, description: name, ...metadata },
    ...defined({ 'config.yaml': config, 'actions.yaml': actions, 'lxd-profile.yaml': lxdProfile }),
  };
}

/** What stands for a charm's archive: equal charms have equal ones. */
export function archiveOf(charm: SimCharm): string {
  return JSON.stringify(charmFilesOf(charm));
}

interface ControllerOptions extends Pick<
  ControllerHostOptions,
  'seed' | 'scheduler' | 'network' | 'disk' | 'provider' | 'fail' | 'processName' | 'address'
> {
  readonly faults: Faults;
  readonly vault: SimVault;
  readonly validate: boolean;
  /** The controller that listens at an address. */
  readonly at: (address: string) => SimulatedController | undefined;
  /** Called when the backup of a time is in the place of the controller's data. */
  readonly onRestore: (madeMs: number) => void;
}

/** What an archive has: store, contents of secrets, and files. */
interface Backup {
  readonly madeMs: number;
  readonly disk: DiskCopy;
  readonly contents: readonly { readonly key: string; readonly sealed: string }[];
  readonly blobs: ReadonlyMap<string, Buffer>;
}

export class SimulatedController extends ControllerHost implements SimController {
  modelUuid = '';
  readonly #options: ControllerOptions;
  #checked: object | undefined;
  #invalidSeen = 0;
  #backup: Backup | undefined;
  /** Note of a restore that the next start finds beside the store. */
  #note: Pick<Restored, 'at' | 'backup' | 'id'> | undefined;
  #restores = 0;

  constructor(options: ControllerOptions) {
    const { faults, vault, validate, network, at } = options;
    super({
      ...options,
      bundles: noBundles,
      beforeServing: (store) => {
        const models = [...store.read().in('').list('model')];
        if (!this.#note && !models.some(({ restored }) => restored?.accepting)) return undefined;
        return resumeRestores(store, this.#note, this.#restores).then(() => void (this.#note = undefined));
      },
      caCert: simulatedCa,
      parts: (process) => ({
        vaultTransport: vault.transport(process),
        between: crossing({ process, faults }),
        elsewhere: simulatedElsewhere({ process, network, host: this.host, at }),
        validate,
        passwords: plainPasswords,
      }),
    });
    this.#options = options;
  }

  /** Initialises the disk as bootstrap does. */
  init(): Promise<void> {
    const { provider } = this.#options;
    return this.prepare(async (store) => {
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
          apiPort: this.port,
          host: {
            addresses: [this.name],
            base: { name: 'ubuntu', channel: '24.04/stable' },
            hardware: { arch: 'amd64', cores: 2, mem: 4096, rootDisk: 8192 },
          },
        });
        return modelUuid;
      }, 'bootstrap');
    });
  }

  get restoring(): boolean {
    return this.#note !== undefined;
  }

  backup(): void {
    this.#backup = this.#copy();
  }

  restore(): void {
    this.crash();
    const { madeMs, disk, contents, blobs } = this.#backup ?? this.#copy();
    this.#options.disk.replace(disk);
    this.contents.erase(this.contents.keys());
    this.contents.put(contents);
    this.blobs.add(blobs);
    const { scheduler, onRestore } = this.#options;
    const timeOf = (ms: number): string => new Date(worldBegan + ms).toISOString();
    this.#note = {
      id: `restore-${++this.#restores}`,
      backup: timeOf(madeMs),
      at: timeOf(scheduler.now),
    };
    onRestore(madeMs);
  }

  #copy(): Backup {
    const { contents, blobs } = this;
    return {
      madeMs: this.#options.scheduler.now,
      disk: this.#options.disk.copy(),
      contents: contents.keys().map((key) => ({ key, sealed: contents.get(key) ?? '' })),
      blobs: blobs.copy(),
    };
  }

  /**
   * Ends an upload as storeCharm does once the archive has been read. Calls back with the URL, unless the process
   * dies. Ignored when the controller is down.
   */
  upload(modelUuid: string, charm: SimCharm, answer: (url: string | Error) => void): void {
    const { running } = this;
    if (!running?.process.alive) return answer(new Error('the controller is down'));
    const parsed = parseCharm(charmFilesOf(charm));
    running.process.after(0, 'upload', () => {
      void this.blobs
        .keep(async () => {
          const blob = await this.blobs.put(Buffer.from(archiveOf(charm)));
          return running.store.change(
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
    const { running } = this;
    if (!running?.process.alive) return answer(new Error('the controller is down'));
    running.process.after(0, 'attach', () => {
      void this.blobs
        .keep(async () => {
          const blob = await this.blobs.put(Buffer.from(content));
          const given = { ...blob, fingerprint: blob.sha256, username: 'admin' };
          await running.store.change(
            (tx) => setResourceContent(tx.in(modelUuid), target, given),
            'user-admin',
          );
        })
        .then(
          () => answer(),
          (error: unknown) => answer(error as Error),
        );
    });
  }

  /** Checks, between events, that the controller's answers matched their schemas. */
  check(): void {
    const { composed } = this.running ?? {};
    if (composed !== this.#checked) this.#invalidSeen = 0;
    this.#checked = composed;
    const invalid = composed?.validationFailures ?? [];
    for (; this.#invalidSeen < invalid.length; this.#invalidSeen++) {
      const { facade, method, message } = invalid[this.#invalidSeen]!;
      this.#options.fail(`${facade}.${method} answered what its schema does not allow: ${message}`);
    }
  }
}
