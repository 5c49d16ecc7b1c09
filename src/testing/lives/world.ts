/**
 * One model with the real transactions and workers over an in-memory store: its whole state can be saved and
 * restored.
 */
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { indexes } from '../../core/documents.ts';
import { JujuError } from '../../core/errors.ts';
import { planProvisioning, type HarvestMode } from '../../core/machine/plan-provisioning.ts';
import { confirmedAfterMs } from '../../core/machine/plan-harvest.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { machineView } from '../../controller/machine-view.ts';
import type { Services } from '../../controller/services.ts';
import { createModel } from '../../controller/transactions/begin/create-model.ts';
import { forgetMachine } from '../../controller/transactions/end/forget-machine.ts';
import { setMachineDead } from '../../controller/transactions/end/remove-machine.ts';
import { setStatus, type Tx, type View } from '../../controller/transactions/tx.ts';
import { createDispatch, type Dispatch } from '../../controller/watchers/dispatch.ts';
import { Cleaner } from '../../controller/workers/cleaner.ts';
import { Harvester } from '../../controller/workers/harvester.ts';
import type { ModelWorker } from '../../controller/workers/model-worker.ts';
import { Undertaker } from '../../controller/workers/undertaker.ts';
import { UnitPlacer } from '../../controller/workers/unit-placer.ts';
import { tagKeys, type Instance } from '../../providers/contract/provider.ts';
import type { Store } from '../../store/store.ts';
import { MemoryStore, type MemoryState, type PresentStore } from './memory-store.ts';
import type { Step } from './step.ts';
import { foundVolume, storageStep } from './storage-step.ts';
import { carryOut, containerTypes } from './carry-out.ts';

const epoch = Date.parse('2026-01-01T00:00:00Z');

export interface WorldState {
  readonly store: MemoryState;
  /** Milliseconds since the world began. */
  readonly now: number;
  /** Machines whose instance the provider lists. */
  readonly instances: ReadonlySet<string>;
  readonly lost: ReadonlySet<string>;
  /** The cloud's volumes by their storage, with the machine whose instance has it; '' = none. */
  readonly volumes: ReadonlyMap<string, string>;
}

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly modelUuid: string;
  /** Wakes are ignored, because each pass is an explicit step. */
  readonly wake: () => void;
}

/** Thrown to stop a worker right after a change, as a crash does. */
const crash = Symbol('crash');

export class World {
  readonly store: MemoryStore<Entities>;
  readonly uuid: string;
  #now = 0;
  #instances: ReadonlySet<string> = new Set();
  #lost: ReadonlySet<string> = new Set();
  #volumes: ReadonlyMap<string, string> = new Map([[foundVolume, '']]);
  /** Workers that live as long as the world and keep what they heard. */
  readonly #lasting: { clean: ModelWorker; place: ModelWorker; undertake: ModelWorker } | undefined;

  /** `lasting`: workers finish their passes and continue, for a world whose state is never restored. */
  constructor({ lasting = false } = {}) {
    let uuids = 0;
    this.store = new MemoryStore<Entities>({
      indexes,
      now: () => epoch + this.#now,
      newUuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    });
    this.uuid = this.store.changeNow(setUp, 'test');
    if (!lasting) return;
    const store = this.store as unknown as Store<Entities>;
    const services = this.#services(createDispatch(store, indexes));
    const needs = { store, services, modelUuid: this.uuid, wake: () => undefined };
    this.#lasting = {
      clean: new Cleaner(needs),
      place: new UnitPlacer(needs),
      undertake: new Undertaker({ ...needs, mayCallsCome: () => false }),
    };
  }

  get state(): WorldState {
    return {
      store: this.store.state,
      now: this.#now,
      instances: this.#instances,
      lost: this.#lost,
      volumes: this.#volumes,
    };
  }
  set state({ store, now, instances, lost, volumes }: WorldState) {
    this.store.state = store;
    this.#now = now;
    this.#instances = instances;
    this.#lost = lost;
    this.#volumes = volumes;
  }

  get view(): View {
    return this.store.read().in(this.uuid);
  }

  /** Takes a step. Returns the error's code when it was refused; any other error is thrown and means a bug. */
  async take(step: Step): Promise<string | undefined> {
    try {
      await this.#carryOut(step);
      return undefined;
    } catch (error) {
      if (error instanceof JujuError) return error.code;
      throw error;
    }
  }

  /** The model's provisioner-harvest-mode. */
  get harvest(): HarvestMode {
    const { config = {} } = this.view.in('').get('model', this.uuid) ?? {};
    return mergedModelConfig(config)['provisioner-harvest-mode'] as HarvestMode;
  }

  /** Adds an instance of the model without a machine; its id is `i-<name>`. */
  addStray(name: string): void {
    this.#instances = new Set(this.#instances).add(name);
  }

  /** Runs the harvester as many times as it needs to act on what it lists. */
  async harvestNow(): Promise<void> {
    const harvester = new Harvester({
      store: this.store as unknown as Store<Entities>,
      services: this.#services({ on: () => () => undefined, stop: () => undefined }),
      modelUuid: this.uuid,
      wake: () => undefined,
    });
    for (let look = 0; look < 3; look++) {
      this.#now += 2 * confirmedAfterMs;
      await finish(harvester);
    }
    harvester.stop();
  }

  /** Stops an instance with everything in it; volumes are detached from it. */
  #stopInstance(name: string): void {
    this.#instances = new Set(
      [...this.#instances].filter((one) => one !== name && !one.startsWith(`${name}/`)),
    );
    const volumes = [...this.#volumes].map(([id, holder]) => [id, holder === name ? '' : holder] as const);
    this.#volumes = new Map(volumes);
  }

  /** Runs any other transaction. */
  change<T>(fn: (tx: Tx) => T): T {
    return this.store.changeNow((tx) => fn(tx.in(this.uuid)), 'test');
  }

  #carryOut(step: Step): Promise<void> | void {
    switch (step.do) {
      case 'wait':
        this.#now += step.ms;
        return;
      case 'lose-agent':
        this.#lost = new Set(this.#lost).add(step.machine);
        return;
      case 'clean':
        return this.#lasting ? finish(this.#lasting.clean) : this.#interrupted((needs) => new Cleaner(needs));
      case 'place':
        return this.#lasting
          ? finish(this.#lasting.place)
          : this.#interrupted((needs) => new UnitPlacer(needs));
      case 'undertake':
        return this.#lasting
          ? finish(this.#lasting.undertake)
          : this.#interrupted((needs) => new Undertaker({ ...needs, mayCallsCome: () => false }));
      case 'volume':
      case 'volume-unrecorded':
        this.#volumes = storageStep(this, step.storage, step.do === 'volume');
        return;
      case 'provision':
      case 'provision-vainly':
        return this.#provision(step.machine, step.do === 'provision');
      default:
        return this.change((tx) => carryOut(tx, step));
    }
  }

  /** Runs the first pass of a new worker, up to its first effective change. */
  async #interrupted(create: (needs: Needs) => ModelWorker): Promise<void> {
    const { store } = this;
    const interrupting: PresentStore<Entities> = {
      read: () => store.read(),
      watch: () => () => undefined,
      change: async (fn, by) => {
        const before = store.state;
        const result = await store.change(fn, by);
        // oxlint-disable-next-line typescript/only-throw-error -- nothing that catches errors may take it for one
        if (store.state !== before) throw crash;
        return result;
      },
    };
    const services = this.#services({ on: () => () => undefined, stop: () => undefined });
    const worker = create({
      store: interrupting as unknown as Store<Entities>,
      services,
      modelUuid: this.uuid,
      wake: () => undefined,
    });
    try {
      await finish(worker);
    } catch (error) {
      if (error !== crash) throw error;
    }
  }

  /** Services that the workers use. */
  #services(dispatch: Dispatch): Services {
    return {
      clock: { now: () => epoch + this.#now, sleep: () => Promise.resolve() },
      nextTurn: (fn: () => void) => queueMicrotask(fn),
      dispatch,
      environ: () => ({
        containers: { types: containerTypes },
        instances: {
          list: () => Promise.resolve([...this.#instances].map((name) => this.#listed(name))),
          stop: (ids: readonly string[]) => {
            for (const id of ids) this.#stopInstance(id.slice('i-'.length));
            return Promise.resolve();
          },
        },
        destroyModel: () => {
          this.#instances = new Set();
          this.#volumes = new Map([...this.#volumes].filter(([id]) => id === foundVolume));
          return Promise.resolve();
        },
      }),
      logs: { remove: () => undefined },
      log: {
        module: () => ({
          debug: () => undefined,
          info: () => undefined,
          warning: () => undefined,
          error: () => undefined,
        }),
      },
    } as unknown as Services;
  }

  /** Returns the instance as the provider lists it: instances of machines have their tags. */
  #listed(name: string): Pick<Instance, 'id' | 'tags'> {
    const isMachine = /^\d/.test(name);
    return {
      id: `i-${name}`,
      tags: isMachine ? { [tagKeys.machine]: name, [tagKeys.nonce]: `nonce-${name}` } : {},
    };
  }

  /** Whether the machine has a provisioner: a container's is the agent of its host. */
  #isProvisioned(machine: MachineDoc | undefined): boolean {
    if (machine?.parent === undefined) return true;
    return (
      !this.#lost.has(machine.parent) && this.view.get('machine', machine.parent)?.instance !== undefined
    );
  }

  /**
   * Carries out the first act of the provisioning plan for the machine, as after a restart or the next poll of the
   * provider.
   */
  #provision(id: string, stops: boolean): void {
    const { view } = this;
    const machine = view.get('machine', id);
    const model = view.in('').get('model', this.uuid);
    if (!model || !this.#isProvisioned(machine)) return;
    const listed = this.#instances.has(id) ? [{ id: `i-${id}`, machineId: id, nonce: `nonce-${id}` }] : [];
    const steps = planProvisioning({
      machines: machine ? [machineView(view, machine)] : [],
      instances: listed,
      harvest: this.harvest,
    });
    const step = steps.find(({ kind }) => kind !== 'stop' || stops);
    switch (step?.kind) {
      case 'start':
        this.change((tx) => tx.put('machine', id, { ...mustGet(tx, id), nonce: `nonce-${id}` }));
        this.#instances = new Set(this.#instances).add(id);
        return;
      case 'adopt':
        this.change((tx) => {
          tx.put('machine', id, { ...mustGet(tx, id), instance: instanceOf(id) });
          setStatus(tx, 'instance', id, 'running');
        });
        return;
      case 'stop':
        return this.#stopInstance(id);
      case 'kill':
        return this.change((tx) => setMachineDead(tx, id));
      case 'forget':
        return this.change((tx) => forgetMachine(tx, id, step.keptInstanceId));
      case 'renew':
      case 'restart':
      case undefined:
    }
  }
}

async function finish(worker: ModelWorker): Promise<void> {
  await worker.pass(new AbortController().signal);
}

function setUp(root: Tx): string {
  root.put('cloud', 'sim', {
    name: 'sim',
    type: 'simulated',
    authTypes: ['empty'],
    endpoint: '',
    regions: [{ name: 'default' }],
    config: {},
  });
  const args = { owner: 'admin', cloud: 'sim', region: 'default', credential: '', config: {} };
  const controller = createModel(root, { name: 'controller', ...args });
  root.put('controller', 'self', {
    uuid: root.newUuid(),
    name: 'test',
    cloud: 'sim',
    region: 'default',
    modelUuid: controller.uuid,
    config: {},
    createdAt: root.now,
  });
  const model = createModel(root, { name: 'default', ...args });
  return model.uuid;
}

function mustGet(tx: Tx, id: string): MachineDoc {
  const machine = tx.get('machine', id);
  if (!machine) throw new Error(`no machine ${id}`);
  return machine;
}

function instanceOf(id: string): NonNullable<MachineDoc['instance']> {
  return { id: `i-${id}`, displayName: `i-${id}`, hardware: {}, isolation: '' };
}

/** Returns the provider's instances without a record, which would never be released. Containers go with their hosts. */
export function orphans(world: World): string[] {
  const { view } = world;
  const kept = new Set(view.in('').get('model', world.uuid)?.keptInstances);
  return [...world.state.instances]
    .filter((id) => !view.get('machine', id) && !kept.has(`i-${id}`) && !goesWithHost(view, id))
    .map((id) => `the instance of machine ${id} is there and no record speaks of it`);
}

/** Returns volumes without a record, and records whose volume is gone. */
export function lostVolumes({ view, state: { volumes } }: World): string[] {
  return [
    ...[...volumes.keys()]
      .filter((id) => id !== foundVolume && !view.get('storage', id))
      .map((id) => `the volume of storage ${id} is there and no record speaks of it`),
    ...[...view.list('storage')]
      .filter(({ id, detachable, made, ending }) => detachable && made && !ending && !volumes.has(id))
      .map(({ id }) => `the volume of storage ${id} is gone`),
  ];
}

function goesWithHost(view: View, id: string): boolean {
  const host = id.includes('/') ? id.slice(0, id.indexOf('/')) : undefined;
  return host !== undefined && view.get('machine', host)?.life !== 'alive';
}
