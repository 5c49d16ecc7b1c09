/** The pretended cloud: what exists in it, and what goes wrong. Several controllers may share one. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../json-file.ts';
import { tagKeys, type Instance, type PortRule, type StartParams } from '../provider.ts';

/** The calls that can be made to fail. */
export type Operation = 'start' | 'stop' | 'list' | 'firewall' | 'create' | 'destroy' | 'zones';

export interface Fault {
  readonly operation: Operation;
  /** `before` the cloud did anything, or `after` it did all and only its answer is lost. */
  readonly when: 'before' | 'after';
  readonly error: Error;
}

export interface SimulatedInstance {
  readonly instance: Instance;
  readonly modelUuid: string;
  readonly controllerUuid: string;
  rules: readonly PortRule[];
}

/** By id; a start that is repeated finds its instance by the nonce, without a look at all the others. */
export class ModelInstances extends Map<string, SimulatedInstance> {
  readonly #ids = new Map<string, Set<string>>();

  override set(id: string, record: SimulatedInstance): this {
    const nonce = nonceOf(record);
    const ids = this.#ids.get(nonce);
    if (ids) ids.add(id);
    else this.#ids.set(nonce, new Set([id]));
    return super.set(id, record);
  }

  override delete(id: string): boolean {
    const record = this.get(id);
    if (!record) return false;
    const nonce = nonceOf(record);
    const ids = this.#ids.get(nonce);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(nonce);
    return super.delete(id);
  }

  withNonce(nonce: string): SimulatedInstance[] {
    return [...(this.#ids.get(nonce) ?? [])].map((id) => this.get(id)!);
  }
}

export interface SimulatedCloudOptions {
  /** Instead of the model's `zones`. */
  readonly zones?: readonly string[];
  /** Instead of the model's `quota`; counts the whole cloud. */
  readonly quota?: number;
  /** Instead of the model's `latency-ms`. */
  readonly latencyMs?: number | ((operation: Operation) => number);
  /** Asked for each call; a fault makes it fail. Those of `inject` come first. */
  readonly chooseFault?: (operation: Operation) => Omit<Fault, 'operation'> | undefined;
  /** Gives 0 ≤ x < 1. */
  readonly random?: () => number;
  /** Where tests and benchmarks start an agent in their own process. Runs when the instance is there. */
  readonly onStart?: (started: {
    instance: Instance;
    modelUuid: string;
    params: StartParams;
  }) => void | Promise<void>;
  readonly onStop?: (instanceId: string) => void | Promise<void>;
}

export interface SimulatedCloud {
  readonly options: SimulatedCloudOptions;
  readonly random: () => number;
  /** Makes the next call of the operation fail, once. */
  inject(fault: Fault): void;
  takeFault(operation: Operation): Fault | undefined;
  setQuota(quota: number): void;
  setZone(name: string, availability: 'available' | 'unavailable'): void;
  quota(configured: number): number;
  isAvailable(zone: string): boolean;
  /** All that exists, of every model that was looked at. */
  instances(): readonly SimulatedInstance[];
  /** The model's instances by id; read from the folder once, when one is given. */
  load(stateDir: string, modelUuid: string): Promise<ModelInstances>;
  /** The models that have a folder, or instances. */
  models(stateDir: string): Promise<string[]>;
  save(stateDir: string, instance: SimulatedInstance): Promise<void>;
  forget(stateDir: string, modelUuid: string, instanceId?: string): Promise<void>;
  nextAddress(): string;
}

export function createSimulatedCloud(options: SimulatedCloudOptions = {}): SimulatedCloud {
  const faults: Fault[] = [];
  const down = new Set<string>();
  const models = new Map<string, Promise<ModelInstances>>();
  const all = new Map<string, SimulatedInstance>();
  let quota = options.quota;
  let addresses = 0;

  const read = async (stateDir: string, modelUuid: string): Promise<ModelInstances> => {
    const found = new ModelInstances();
    for (const name of await names(stateDir && join(stateDir, modelUuid))) {
      if (!name.endsWith('.json')) continue;
      const record = await readJson<SimulatedInstance>(join(stateDir, modelUuid, name));
      if (!record) continue;
      found.set(record.instance.id, record);
      all.set(record.instance.id, record);
      addresses = Math.max(addresses, addressNumber(record.instance.addresses[0]?.value ?? ''));
    }
    return found;
  };

  return {
    options,
    random: options.random ?? Math.random,
    inject: (fault) => void faults.push(fault),
    takeFault(operation) {
      const index = faults.findIndex((fault) => fault.operation === operation);
      if (index >= 0) return faults.splice(index, 1)[0];
      const chosen = options.chooseFault?.(operation);
      return chosen && { operation, ...chosen };
    },
    setQuota: (value) => void (quota = value),
    setZone: (name, availability) => void (availability === 'available' ? down.delete(name) : down.add(name)),
    quota: (configured) => quota ?? configured,
    isAvailable: (zone) => !down.has(zone),
    instances: () => [...all.values()],
    load(stateDir, modelUuid) {
      const key = `${stateDir}\0${modelUuid}`;
      const known = models.get(key) ?? read(stateDir, modelUuid);
      models.set(key, known);
      return known;
    },
    async models(stateDir) {
      const inMemory = [...models.keys()].filter((key) => key.startsWith(`${stateDir}\0`));
      return [
        ...new Set([...inMemory.map((key) => key.slice(stateDir.length + 1)), ...(await names(stateDir))]),
      ];
    },
    async save(stateDir, record) {
      const { id } = record.instance;
      all.set(id, record);
      (await this.load(stateDir, record.modelUuid)).set(id, record);
      if (!stateDir) return;
      const folder = join(stateDir, record.modelUuid);
      await mkdir(folder, { recursive: true });
      // Whole or not at all when the process is killed; a power cut may take pretended instances.
      await writeFile(join(folder, `${id}.new`), JSON.stringify(record));
      await rename(join(folder, `${id}.new`), join(folder, `${id}.json`));
    },
    async forget(stateDir, modelUuid, instanceId) {
      const instances = await this.load(stateDir, modelUuid);
      const ids = instanceId === undefined ? [...instances.keys()] : [instanceId];
      for (const id of ids) {
        instances.delete(id);
        all.delete(id);
      }
      const folder = join(stateDir, modelUuid);
      if (!stateDir) return;
      if (instanceId === undefined) await rm(folder, { recursive: true, force: true });
      else await rm(join(folder, `${instanceId}.json`), { force: true });
    },
    nextAddress() {
      const n = ++addresses;
      return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    },
  };
}

function nonceOf({ instance }: SimulatedInstance): string {
  return instance.tags[tagKeys.nonce] ?? '';
}

async function names(folder: string): Promise<string[]> {
  return folder ? await readdir(folder).catch(() => []) : [];
}

function addressNumber(address: string): number {
  const [, a = 0, b = 0, c = 0] = address.split('.').map(Number);
  return (a << 16) | (b << 8) | c;
}
