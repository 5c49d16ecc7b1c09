/** The simulated cloud: its instances and its faults. Several controllers may share one. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../toolkit/json-file.ts';
import { tagKeys, type Instance, type PortRule, type StartParams } from '../../contract/provider.ts';
import { defined } from '../../../core/defined.ts';
import type { SimulatedVolume } from './volumes.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Calls that can be made to fail. `start group` is a request, with its latency; `start` is each machine's part. */
export const operations = [
  'start',
  'start group',
  'stop',
  'list',
  'get',
  'zones',
  'address',
  'firewall',
  'volume',
  'create',
  'destroy',
] as const;
export type Operation = (typeof operations)[number];

export interface Fault {
  readonly operation: Operation;
  /** `before`: the cloud does nothing; `after`: the cloud completes the call, and only its answer is lost. */
  readonly when: 'before' | 'after';
  readonly error: Error;
}

export interface SimulatedInstance {
  readonly instance: Instance;
  readonly modelUuid: string;
  readonly controllerUuid: string;
  rules: readonly PortRule[];
  readonly profiles?: readonly string[];
}

/** Instances of a model by id, indexed by nonce for repeated starts and counted by zone. */
export class ModelInstances extends Map<string, SimulatedInstance> {
  readonly #ids = new Map<string, Set<string>>();
  readonly #population = new Map<string, number>();
  /** Addresses of containers by machine id. */
  readonly addresses = new Map<string, string>();
  /** Volumes by id. */
  readonly volumes = new Map<string, SimulatedVolume>();

  override set(id: string, record: SimulatedInstance): this {
    this.delete(id);
    this.#count(record, 1);
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
    this.#count(record, -1);
    return super.delete(id);
  }

  /** Returns the number of instances in a zone. */
  population(zone: string): number {
    return this.#population.get(zone) ?? 0;
  }

  #count({ instance: { zone = '' } }: SimulatedInstance, by: number): void {
    this.#population.set(zone, this.population(zone) + by);
  }

  withNonce(nonce: string): SimulatedInstance[] {
    return [...(this.#ids.get(nonce) ?? [])].map((id) => this.get(id)!);
  }
}

export interface SimulatedCloudOptions {
  /** Zones that override the model's setting `zones`. */
  readonly zones?: readonly string[];
  /** Subnets beside the main one: `172.20.0.0/16`. */
  readonly networks?: readonly string[];
  /** Quota of the whole cloud that overrides the model's setting `quota`. */
  readonly quota?: number;
  /** Latency that overrides the model's setting `latency-ms`. */
  readonly latencyMs?: number | ((operation: Operation) => number);
  /** Chooses a fault that makes the call fail. Faults of `inject` take precedence. */
  readonly chooseFault?: (operation: Operation) => Omit<Fault, 'operation'> | undefined;
  /** Milliseconds for which a call is neither answered nor carried out; Infinity = for ever; undefined = none. */
  readonly hangs?: (operation: Operation) => number | undefined;
  /** Waits on the cloud's own clock, which does not end with the caller; absent = the cloud has the caller's. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Returns the error of every stop whose instances include this one; undefined when it can be stopped. */
  readonly stopError?: (id: string) => Error | undefined;
  /** Returns the cloud's reason never to start a request: a bad request. */
  readonly refuses?: (params: StartParams) => string | undefined;
  /** Returns x with 0 ≤ x < 1. */
  readonly random?: () => number;
  /** Runs when an instance exists; tests and benchmarks start an agent in their own process here. */
  readonly onStart?: (started: {
    instance: Instance;
    modelUuid: string;
    params: StartParams;
  }) => void | Promise<void>;
  readonly onStop?: (instanceId: string) => void | Promise<void>;
  /** Runs when a stopped instance was started again. */
  readonly onRestart?: (instanceId: string) => void | Promise<void>;
  /** Runs when a volume is detached from its instance, and when it no longer belongs to the model. */
  readonly onVolume?: (volume: SimulatedVolume, how: VolumeEnd | 'detached') => void;
}
/** End of a volume; `forgotten`: the volume went with its model. */
export type VolumeEnd = 'destroyed' | 'released' | 'forgotten';

export class SimulatedCloud {
  readonly options: SimulatedCloudOptions;
  readonly random: () => number;
  readonly #faults: Fault[] = [];
  readonly #down = new Set<string>();
  readonly #models = new Map<string, Promise<ModelInstances>>();
  readonly #all = new Map<string, SimulatedInstance>();
  /** Volumes of the models that have had any. */
  readonly #volumes = new Set<Map<string, SimulatedVolume>>();
  /** State folder of each instance. */
  readonly #homes = new Map<string, string>();
  #quota: number | undefined;
  #refusal: string | undefined;
  #addresses = 0;

  constructor(options: SimulatedCloudOptions = {}) {
    this.options = options;
    this.random = options.random ?? Math.random;
    this.#quota = options.quota;
  }

  /** Makes the next call of the operation fail, once. */
  inject(fault: Fault): void {
    this.#faults.push(fault);
  }

  takeFault(operation: Operation): Fault | undefined {
    const index = this.#faults.findIndex((fault) => fault.operation === operation);
    if (index >= 0) return this.#faults.splice(index, 1)[0];
    const chosen = this.options.chooseFault?.(operation);
    return chosen && { operation, ...chosen };
  }

  /** Sets the quota; 0 = no limit. */
  setQuota(quota: number): void {
    this.#quota = quota;
  }

  quota(configured: number): number {
    return this.#quota ?? configured;
  }

  setZone(name: string, availability: 'available' | 'unavailable'): void {
    if (availability === 'available') this.#down.delete(name);
    else this.#down.add(name);
  }

  isAvailable(zone: string): boolean {
    return !this.#down.has(zone);
  }

  /** Makes every call fail for the credential, with this message; `undefined` = repaired. */
  refuseCredential(message: string | undefined): void {
    this.#refusal = message;
  }

  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Lists all instances of every model that was opened. */
  instances(): readonly SimulatedInstance[] {
    return [...this.#all.values()];
  }

  /** Whether there is an instance of this id. */
  has(id: string): boolean {
    return this.#all.has(id);
  }

  /** Lists all volumes of every model that was opened. */
  volumes(): readonly SimulatedVolume[] {
    return [...this.#volumes].flatMap((volumes) => [...volumes.values()]);
  }

  async volumesOf(stateDir: string, modelUuid: string): Promise<Map<string, SimulatedVolume>> {
    return (await this.load(stateDir, modelUuid)).volumes;
  }

  async saveVolume(stateDir: string, volume: SimulatedVolume): Promise<void> {
    const volumes = await this.volumesOf(stateDir, volume.modelUuid);
    const before = volumes.get(volume.id);
    volumes.set(volume.id, volume);
    this.#volumes.add(volumes);
    if (before?.attachedTo !== undefined && volume.attachedTo === undefined)
      this.options.onVolume?.(before, 'detached');
    if (stateDir) await write(join(stateDir, volume.modelUuid), volumeFile(volume.id), volume);
  }

  async forgetVolume(stateDir: string, volume: SimulatedVolume, how: VolumeEnd): Promise<void> {
    (await this.volumesOf(stateDir, volume.modelUuid)).delete(volume.id);
    this.options.onVolume?.(volume, how);
    if (stateDir) await rm(join(stateDir, volume.modelUuid, volumeFile(volume.id)), { force: true });
  }

  get count(): number {
    return this.#all.size;
  }

  /** Creates an instance without the controller's knowledge. */
  async plant({
    modelUuid,
    controllerUuid,
    tags,
    stateDir = '',
    zone,
  }: {
    readonly modelUuid: string;
    readonly controllerUuid: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly stateDir?: string;
    readonly zone?: string;
  }): Promise<Instance> {
    const id = this.newId();
    const instance: Instance = {
      id,
      displayName: `planted-${id}`,
      status: 'running',
      message: '',
      addresses: [],
      tags,
      ...defined({ zone }),
      isolation: '',
    };
    await this.save(stateDir, { modelUuid, controllerUuid, rules: [], instance });
    return instance;
  }

  /** Removes an instance without the controller's knowledge. Returns false when there is none. */
  async vanish(id: string): Promise<boolean> {
    const record = this.#all.get(id);
    if (record) await this.forget(this.#homes.get(id) ?? '', record.modelUuid, id);
    return record !== undefined;
  }

  /** Stops an instance until it is started again. Returns false when there is none. */
  async halt(id: string): Promise<boolean> {
    const record = this.#all.get(id);
    if (!record) return false;
    const instance: Instance = { ...record.instance, status: 'stopped', message: 'stopped' };
    await this.save(this.#homes.get(id) ?? '', { ...record, instance });
    return true;
  }

  /** Returns the model's instances by id; they are read once from the folder, when one is given. */
  load(stateDir: string, modelUuid: string): Promise<ModelInstances> {
    const key = `${stateDir}\0${modelUuid}`;
    const loaded = this.#models.get(key) ?? this.#read(stateDir, modelUuid);
    this.#models.set(key, loaded);
    return loaded;
  }

  /** Lists the models that have a folder or instances. */
  async models(stateDir: string): Promise<string[]> {
    const inMemory = [...this.#models.keys()].filter((key) => key.startsWith(`${stateDir}\0`));
    return [
      ...new Set([...inMemory.map((key) => key.slice(stateDir.length + 1)), ...(await names(stateDir))]),
    ];
  }

  async save(stateDir: string, record: SimulatedInstance): Promise<void> {
    const { id } = record.instance;
    this.#all.set(id, record);
    this.#homes.set(id, stateDir);
    (await this.load(stateDir, record.modelUuid)).set(id, record);
    if (!stateDir) return;
    await write(join(stateDir, record.modelUuid), `${id}.json`, record);
  }

  async forget(stateDir: string, modelUuid: string, instanceId?: string): Promise<void> {
    const instances = await this.load(stateDir, modelUuid);
    const ids = instanceId === undefined ? [...instances.keys()] : [instanceId];
    for (const id of ids) {
      instances.delete(id);
      this.#all.delete(id);
      this.#homes.delete(id);
    }
    if (instanceId === undefined) instances.addresses.clear();
    const folder = join(stateDir, modelUuid);
    if (!stateDir) return;
    if (instanceId === undefined) await rm(folder, { recursive: true, force: true });
    else await rm(join(folder, `${instanceId}.json`), { force: true });
  }

  /** Returns a container's address, the same one for repeated calls. */
  async takeAddress(stateDir: string, modelUuid: string, machineId: string): Promise<string> {
    const { addresses: taken } = await this.load(stateDir, modelUuid);
    const known = taken.get(machineId);
    const value = known ?? this.nextAddress();
    // The address is reserved before it is saved, so that a concurrent call gets the same one.
    taken.set(machineId, value);
    if (stateDir && known === undefined)
      await write(join(stateDir, modelUuid), addressFile(machineId), { machineId, value } satisfies Taken);
    return value;
  }

  async releaseAddress(stateDir: string, modelUuid: string, machineId: string): Promise<void> {
    const { addresses: taken } = await this.load(stateDir, modelUuid);
    if (taken.delete(machineId) && stateDir)
      await rm(join(stateDir, modelUuid, addressFile(machineId)), { force: true });
  }

  /** Returns an id that contains nothing about the machine, as in real clouds: callers must use tags. */
  newId(): string {
    for (;;) {
      const id = `i-${Math.floor(this.random() * 2 ** 48)
        .toString(16)
        .padStart(12, '0')}`;
      if (!this.#all.has(id)) return id;
    }
  }

  nextAddress(): string {
    const n = ++this.#addresses;
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  }

  async #read(stateDir: string, modelUuid: string): Promise<ModelInstances> {
    const found = new ModelInstances();
    for (const name of await names(stateDir && join(stateDir, modelUuid))) {
      const file = join(stateDir, modelUuid, name);
      const taken = name.endsWith('.address') ? await readJson<Taken>(file) : undefined;
      if (taken) {
        found.addresses.set(taken.machineId, taken.value);
        this.#addresses = Math.max(this.#addresses, addressNumber(taken.value));
      }
      const volume = name.endsWith('.volume') ? await readJson<SimulatedVolume>(file) : undefined;
      if (volume) {
        found.volumes.set(volume.id, volume);
        this.#volumes.add(found.volumes);
      }
      if (!name.endsWith('.json')) continue;
      const record = await readJson<SimulatedInstance>(file);
      if (!record) continue;
      found.set(record.instance.id, record);
      this.#all.set(record.instance.id, record);
      this.#homes.set(record.instance.id, stateDir);
      const [address] = record.instance.addresses;
      this.#addresses = Math.max(this.#addresses, addressNumber(address?.value ?? ''));
    }
    return found;
  }
}

/** Address of a container, in its file. */
export interface Taken {
  readonly machineId: string;
  readonly value: string;
}

function volumeFile(id: string): string {
  return `${id}.volume`;
}

export function addressFile(machineId: string): string {
  return `${machineId.replaceAll('/', '-')}.address`;
}

/**
 * Replaces a file atomically against a kill of the process; a power cut may lose it, since the cloud is only simulated.
 */
export async function write(folder: string, name: string, value: unknown): Promise<void> {
  await makeFolder(folder);
  await writeFile(join(folder, `${name}.new`), JSON.stringify(value));
  await rename(join(folder, `${name}.new`), join(folder, name));
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
