/**
 * Client's files in Juju's own format, so that other Juju clients find grigri's controllers and vice versa
 * (client-files.md#compatible-files). Unknown keys are kept.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { hostOf } from '../../core/host-port.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import type {
  AccountDetails,
  ClientRecords,
  ControllerDetails,
  ModelDetails,
} from '../../operate/records.ts';
import { toYaml } from '../format/yaml.ts';
import { readClientFile, reading } from './client-file.ts';
import { checkShape, consequencesOfLoss, type ControllerFile } from './client-shapes.ts';
import { withLock } from './lock.ts';
import { writePrivate } from './write-private.ts';
import { defined } from '../../core/defined.ts';

export interface BootstrapConfig {
  readonly 'controller-config': Readonly<Record<string, unknown>>;
  readonly 'model-config': Readonly<Record<string, unknown>>;
  readonly 'controller-model-uuid': string;
  /** Name of the credential in credentials.yaml. */
  readonly credential?: string;
  readonly cloud: string;
  readonly type: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly 'ca-certificates'?: readonly string[];
  readonly 'skip-tls-verify'?: boolean;
}

interface Files extends Record<ControllerFile, object> {
  controllers: { controllers?: Record<string, ControllerDetails>; 'current-controller'?: string };
  accounts: { controllers?: Record<string, AccountDetails> };
  models: {
    controllers?: Record<string, { models?: Record<string, ModelDetails>; 'current-model'?: string }>;
  };
  'bootstrap-config': { controllers?: Record<string, BootstrapConfig> };
}

export class ClientStore implements ClientRecords {
  readonly dir: string;
  readonly #clock: Clock;
  /** Contents of the files when they were last read: a command asks several times, and files seldom change between. */
  readonly #contents = new Map<ControllerFile, { readonly text: string; readonly content: object }>();

  constructor(dir: string, clock: Clock) {
    this.dir = dir;
    this.#clock = clock;
  }

  /** Runs `fn` while no other client changes any of the files. Errors: those of withLock. */
  locked<T>(fn: () => Promise<T>): Promise<T> {
    return withLock(join(this.dir, '.lock'), this.#clock, fn);
  }

  /**
   * Reads every file, so that a change of several files begins only when all are readable. Errors: those of reading.
   */
  async check(): Promise<void> {
    for (const kind of ['controllers', 'accounts', 'models', 'bootstrap-config'] as const)
      await this.#read(kind);
  }

  async controllers(): Promise<Readonly<Record<string, ControllerDetails>>> {
    return (await this.#read('controllers')).controllers ?? {};
  }

  async currentController(): Promise<string | undefined> {
    return (await this.#read('controllers'))['current-controller'] || undefined;
  }

  async setCurrentController(name: string): Promise<void> {
    await this.#change('controllers', (file) => ({ ...file, 'current-controller': name }));
  }

  async updateController(name: string, details: ControllerDetails): Promise<void> {
    await this.#change('controllers', (file) => ({
      ...file,
      controllers: { ...file.controllers, [name]: { ...file.controllers?.[name], ...details } },
    }));
  }

  /** Adds a controller, its account and an empty list of models at once. Errors: plain Error when the name is taken. */
  async addController(name: string, details: ControllerDetails, account: AccountDetails): Promise<void> {
    await this.check();
    await this.#change('controllers', (file) => {
      if (file.controllers?.[name]) throw new Error(`controller "${name}" already exists`);
      return { ...file, controllers: { ...file.controllers, [name]: details } };
    });
    await this.#change('accounts', (file) => ({
      ...file,
      controllers: { ...file.controllers, [name]: account },
    }));
    await this.#change('models', (file) => ({
      ...file,
      controllers: { ...file.controllers, [name]: { models: {} } },
    }));
    await this.#emptyJar(name);
  }

  /** Removes a controller from all files. */
  async removeController(name: string): Promise<void> {
    await this.check();
    await this.#change('controllers', (file) => {
      const { 'current-controller': current, ...otherKeys } = file;
      return {
        ...otherKeys,
        controllers: without(file.controllers, name),
        ...defined({ 'current-controller': current && current !== name ? current : undefined }),
      };
    });
    for (const kind of ['accounts', 'models', 'bootstrap-config'] as const) {
      await this.#change(
        kind,
        (file) => ({ ...file, controllers: without<unknown>(file.controllers, name) }) as never,
      );
    }
    await rm(this.#jar(name), { force: true });
  }

  async account(controller: string): Promise<AccountDetails | undefined> {
    return (await this.#read('accounts')).controllers?.[controller];
  }

  /** Records who is logged in to a controller; absent: nobody. */
  async setAccount(controller: string, account: AccountDetails | undefined): Promise<void> {
    await this.#change('accounts', (file) => ({
      ...file,
      controllers: { ...without(file.controllers, controller), ...(account && { [controller]: account }) },
    }));
    if (!account) await this.#emptyJar(controller);
  }

  async macaroons(controller: string): Promise<readonly (readonly unknown[])[]> {
    const { readMacaroons } = await import('./cookie-jar.ts');
    return readMacaroons(this.#jar(controller), this.#clock.now());
  }

  async setMacaroon(controller: string, slice: readonly unknown[]): Promise<void> {
    const { writeMacaroon } = await import('./cookie-jar.ts');
    const [address = ''] = (await this.controllers())[controller]?.['api-endpoints'] ?? [];
    const host = hostOf(address);
    await this.locked(() => writeMacaroon(this.#jar(controller), { slice, host, now: this.#clock.now() }));
  }

  async setAccess(controller: string, access: string): Promise<void> {
    await this.#change('accounts', (file) => {
      const account = file.controllers?.[controller];
      if (!account) return file;
      return {
        ...file,
        controllers: { ...file.controllers, [controller]: { ...account, 'last-known-access': access } },
      };
    });
  }

  /** Returns the details of models by qualified name (`admin/default`). */
  async models(controller: string): Promise<Readonly<Record<string, ModelDetails>>> {
    return (await this.#read('models')).controllers?.[controller]?.models ?? {};
  }

  async currentModel(controller: string): Promise<string | undefined> {
    return (await this.#read('models')).controllers?.[controller]?.['current-model'] || undefined;
  }

  async setCurrentModel(controller: string, model: string): Promise<void> {
    await this.#changeModels(controller, (entry) => ({ ...entry, 'current-model': model }));
  }

  async addModel(controller: string, name: string, details: ModelDetails): Promise<void> {
    await this.#changeModels(controller, (entry) => ({
      ...entry,
      models: { ...entry.models, [name]: details },
    }));
  }

  /**
   * Replaces the models by those that the controller reports. A current model that is not among them is forgotten.
   * `known` are the models in the file when the controller was asked: models that another client has added since stay.
   */
  async setModels(
    controller: string,
    models: Readonly<Record<string, ModelDetails>>,
    snapshot: Readonly<Record<string, ModelDetails>>,
  ): Promise<void> {
    await this.#changeModels(controller, (entry) => {
      const { 'current-model': current, ...otherKeys } = entry;
      const added = Object.entries(entry.models ?? {}).filter(([name]) => !Object.hasOwn(snapshot, name));
      const merged = Object.fromEntries([
        ...added,
        ...Object.entries(models).map(([k, v]) => [k, { ...entry.models?.[k], ...v }] as const),
      ]);
      return {
        ...otherKeys,
        models: merged,
        ...defined({ 'current-model': current && merged[current] ? current : undefined }),
      };
    });
  }

  async removeModel(controller: string, name: string): Promise<void> {
    await this.#changeModels(controller, (entry) => {
      const { 'current-model': current, ...otherKeys } = entry;
      return {
        ...otherKeys,
        models: without(entry.models, name),
        ...defined({ 'current-model': current && current !== name ? current : undefined }),
      };
    });
  }

  async bootstrapConfig(controller: string): Promise<BootstrapConfig | undefined> {
    return (await this.#read('bootstrap-config')).controllers?.[controller];
  }

  async setBootstrapConfig(controller: string, config: BootstrapConfig): Promise<void> {
    await this.#change('bootstrap-config', (file) => ({
      ...file,
      controllers: { ...file.controllers, [controller]: config },
    }));
  }

  #changeModels(
    controller: string,
    fn: (entry: { models?: Record<string, ModelDetails>; 'current-model'?: string }) => {
      models?: Record<string, ModelDetails>;
      'current-model'?: string;
    },
  ): Promise<void> {
    return this.#change('models', (file) => ({
      ...file,
      controllers: { ...file.controllers, [controller]: fn(file.controllers?.[controller] ?? {}) },
    }));
  }

  async #read<K extends keyof Files>(kind: K): Promise<Files[K]> {
    const file = await readClientFile(this.#path(kind), consequencesOfLoss[kind]);
    if (!file) return {};
    const known = this.#contents.get(kind);
    if (known?.text === file.text) return known.content as Files[K];
    return reading(file, () => {
      const content = readYamlValue(file.text);
      checkShape(kind, content);
      // A missing line end means that the file was cut off, because every client writes one.
      if (!file.text.endsWith('\n'))
        throw new Error(`the file is truncated at line ${file.text.split('\n').length}`);
      this.#contents.set(kind, { text: file.text, content: content as Files[K] });
      return content as Files[K];
    });
  }

  /** Empties the jar of cookies; the file stays, because python-libjuju fails without it. */
  #emptyJar(controller: string): Promise<void> {
    return writePrivate(this.#jar(controller), '[]\n');
  }

  #jar(controller: string): string {
    return join(this.dir, 'cookies', `${controller}.json`);
  }

  #path(kind: ControllerFile): string {
    return join(this.dir, `${kind}.yaml`);
  }

  async #change<K extends keyof Files>(kind: K, fn: (file: Files[K]) => Files[K]): Promise<void> {
    await this.locked(async () => {
      const before = await this.#read(kind);
      const after = { controllers: {}, ...fn(before) };
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      await writePrivate(this.#path(kind), toYaml(after, { flow: ['api-endpoints'] }));
    });
  }
}

function without<T>(record: Readonly<Record<string, T>> | undefined, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => key !== name));
}
