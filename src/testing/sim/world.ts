/**
 * The simulated world: a controller, its store, machines with their agents, a cloud and a network, all of the
 * product's real code, in one process on a virtual clock, from one seed. The same seed and the same calls give the
 * same trace, to the last message.
 *
 * Whoever uses it writes plain async code that awaits nothing but this world (its connections, `world.sleep`), starts
 * it with `world.operator(...)`, and lets time pass with `runFor` or `runUntil`, the only calls that are really waited
 * for from outside:
 *
 *     const world = await createWorld({ seed: 7, faults: moderate });
 *     world.operator(async (operator) => {
 *       const model = await operator.addModel('m');
 *       await operator.addCharm(model, webCharm);
 *       await operator.call(model, 'Application', 'Deploy', {...});
 *     });
 *     await world.runFor(3_600_000);
 *     world.calm();
 *     const ok = await world.runUntil(() => settled(world.controller.read()), 1_800_000);
 *     expect(world.failures).toEqual([]);
 */
import type { ContentStore } from '../../store/contents.ts';
import type { Connection } from '../../client/connection.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Instance } from '../../providers/contract/provider.ts';
import type { Commit, Reader } from '../../store/store.ts';
import type { Behaviour, Durations, HookEvent } from '../../forecast/world/behaviour.ts';
import type { RunningController } from '../../forecast/world/controller-host.ts';
import type { FaultKind, FaultRates } from '../../forecast/world/faults.ts';
import type { SimulatedVolume } from '../../providers/clouds/simulated/index.ts';
import type { VolumeEvent } from './found-volumes.ts';
import type { SimVault } from './vault.ts';

/** Time on the hosts' clocks at the beginning. */
export const worldBegan = Date.UTC(2026, 0, 1);

export interface WorldOptions {
  readonly seed: number;
  /** Rates of faults; default: none happens. */
  readonly faults?: FaultRates;
  /** Number of controllers; default: one. */
  readonly controllers?: 1 | 2 | 3;
  /** Keeps the trace's lines, not only its hash. */
  readonly keepTrace?: boolean;
  /** First line of the trace to keep, for the end of a long run. */
  readonly keepTraceFrom?: number;
  /** Checks the controller's answers against their schemas and reports errors in `failures`. Default: true. */
  readonly validate?: boolean;
  /** Durations that are always the same; absent = they are drawn. */
  readonly durations?: WorldDurations;
}

/** Milliseconds of what takes time. */
export interface WorldDurations extends Durations {
  readonly ofStart: number;
  readonly ofOtherCalls: number;
}

/** Charm and the behaviour of its hooks. */
export interface SimCharm {
  readonly name: string;
  /** Members of metadata.yaml, as an object: `{ provides: { db: { interface: 'x' } }, subordinate: true }`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Members of lxd-profile.yaml. */
  readonly lxdProfile?: Readonly<Record<string, unknown>>;
  /** Options of config.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Actions of actions.yaml. */
  readonly actions?: Readonly<Record<string, unknown>>;
  /**
   * Runs a hook or action, after its delay. Default: `defaultHook`: `start` sets the workload active and opens a
   * port, `*-relation-joined` writes to the unit's bag, `*-relation-changed` reads those of the others, the leader
   * writes the application's.
   */
  readonly run?: Behaviour;
}

export interface World {
  readonly seed: number;
  /** Returns the simulated milliseconds since the world began. */
  now(): number;
  /** Returns a random number 0 ≤ x < 1 of the caller's own stream, which affects no other. */
  random(): number;
  /** The controller; of several, all as one, with each model as it is where it is. */
  readonly controller: SimController;
  readonly controllers: readonly SimController[];
  /** Cuts a controller, or each, off from the others for this long. */
  cut(ms: number, which?: number): void;
  /** Every machine that ever ran, in the order in which their instances were made. */
  readonly machines: readonly SimMachine[];
  readonly cloud: SimCloud;
  /** Secret backend outside of the controller. */
  readonly vault: Pick<SimVault, 'has' | 'contents'>;
  readonly faults: {
    /** Number of faults of each kind. */
    readonly counts: Readonly<Record<FaultKind, number>>;
    /** Number of failed calls of the cloud: `quota at start group` → count, for every pair. */
    readonly calls: Readonly<Record<string, number>>;
    /** Sets rates from now on; kinds that are not named keep theirs. */
    set(rates: FaultRates): void;
  };

  /**
   * Runs `script` as a user, the admin by default, beside everything else; an error that it rejects with is in
   * `failures`. The script may await only what the operator gives. `kill` ends its process as `kill -9` does.
   */
  operator(script: (operator: SimOperator) => Promise<void>, user?: string): { kill(): void };
  /** Calls `act` at a time, unless the world has ended by then. */
  at(ms: number, name: string, act: () => void): void;
  /** Ends faults and repairs: partitions heal, crashed processes start, clocks stay as they are. */
  calm(): void;
  /** Advances the time. Stops early when something failed. */
  runFor(ms: number): Promise<void>;
  /**
   * Advances the time until `condition` (evaluated after each event that changed the store, and each second), or
   * `withinMs`.
   */
  runUntil(condition: () => boolean, withinMs: number): Promise<boolean>;
  /** Runs one event; false when there is none left. */
  step(): Promise<boolean>;

  /**
   * Calls the listener for each durable commit of every controller that ran, once, in order. An error that the listener
   * throws is a failure of the world.
   */
  onCommit(listener: (commit: Commit<Entities>, reader: Reader<Entities>) => void): void;
  /** Calls the listener for each run of a hook. An error that the listener throws is a failure of the world. */
  onHook(listener: (event: HookEvent) => void): void;
  /** Calls the listener for each instance that a start makes, before the start is answered. */
  onInstance(listener: (instance: Instance, modelUuid: string) => void): void;
  /** Calls the listener when the cloud ends an instance. */
  onInstanceEnd(listener: (instance: string, modelUuid: string) => void): void;
  /** Calls the listener when the documents are those of a backup again, which was made at `madeMs`. */
  onRestore(listener: (reader: Reader<Entities>, madeMs: number) => void): void;
  /** Calls the listener when a volume is detached, and when it ends. */
  onVolume(listener: (event: VolumeEvent) => void): void;
  /** Errors that must never happen: unhandled rejections, internal errors of the controller, listeners' throws. */
  readonly failures: readonly WorldFailure[];
  /** Adds a failure, for violations that are found from outside. */
  fail(what: string, error?: unknown): void;

  /** Returns the hash over every event so far, 16 hex digits. */
  traceHash(): string;
  /** Lines of the trace, with `keepTrace`: `12.345 machine-3 message Application.Deploy`. */
  readonly trace: readonly string[];
  /** Number of events so far. */
  readonly events: number;
  stop(): Promise<void>;
}

export interface WorldFailure {
  readonly at: number;
  /** Number of the event: the place in the trace of the same seed. */
  readonly event: number;
  readonly process: string;
  readonly what: string;
  readonly error?: unknown;
}

/** Process that can be killed before any of its steps: an event that reaches it, or an act on the world. */
export interface Crashable {
  readonly up: boolean;
  /** Number of steps of the running process, since its start. */
  readonly steps: number;
  /** Number of times that the process died. */
  readonly crashes: number;
  /** Kills the process as `kill -9` does: none of its code runs again. Its supervisor restarts it after a while. */
  crash(): void;
  /** Crashes the process right before its step of that number (from 1), once and not at each start. */
  crashAtStep(step: number): void;
}

export interface SimController extends Crashable {
  /** The newest process, with what it has opened; absent before the first start. */
  readonly running: RunningController | undefined;
  readonly uuid: string;
  readonly modelUuid: string;
  /** Sealed contents of secrets on the controller's disk. */
  readonly contents: Pick<ContentStore, 'get' | 'keys'>;
  /** Address as `host:port`. */
  readonly address: string;
  /** Returns the durable documents, also while the controller is down. */
  read(): Reader<Entities>;
  /** Starts the controller at once, when it is down. */
  start(): void;
  /** Changes the error of the host's clock; timers are not affected. */
  jumpClock(ms: number): void;
  /** Keeps a backup of what is durable, in the place of the last one. */
  backup(): void;
  /** Kills the controller and puts the backup in the place of its data; without one, what is durable now. */
  restore(): void;
  /** Whether the controller has not yet recorded its last restore. */
  readonly restoring: boolean;
  /** Lines that every controller logged at ERROR or above, with their time. */
  readonly errors: readonly { readonly at: number; readonly line: string }[];
}

export interface SimMachine extends Crashable {
  readonly instance: string;
  readonly model: string;
  /** The machine's number. */
  readonly id: string;
  readonly state: 'booting' | 'running' | 'stopped' | 'lost' | 'released';
  /** Whether the agent ended by itself because its machine is dead. */
  readonly removed: boolean;
  /** Kills the agent with all hooks; it comes back with another boot id. */
  reboot(): void;
  /** Loses the machine permanently: `instance` says whether the cloud still lists it. */
  lose(instance: 'stays' | 'vanishes'): void;
  /** Stops the machine's instance until it is started again. */
  halt(): void;
  /** Cuts the machine off from the controller for this long; connections stay half open. */
  partition(ms: number): void;
  jumpClock(ms: number): void;
  /** Units that have files on the machine's disk. */
  units(): readonly string[];
  /** Ids of the storage that is mounted on the machine, or has a device. */
  mounts(): readonly string[];
}

interface SimCloud {
  /** Lists the existing instances. */
  instances(): readonly (Instance & {
    readonly modelUuid: string;
    readonly nonce: string;
    /** Names of the instance's charm profiles; absent for containers. */
    readonly profiles?: readonly string[];
  })[];
  /** Lists the existing volumes. */
  volumes(): readonly SimulatedVolume[];
  /** Number of calls that hang and will be carried out, whether or not their caller lives. */
  lateCalls(): number;
  /** Lists the ids of the volumes that were released. */
  released(): readonly string[];
  /** Sets the quota; 0 = no limit. */
  setQuota(quota: number): void;
  setZone(name: string, availability: 'available' | 'unavailable'): void;
  /** Makes every start fail with this message, for a reason that may pass; `undefined` ends that. */
  failStarts(message: string | undefined): void;
  /** Refuses the credential with this message; `undefined` accepts it again. */
  refuseCredential(message: string | undefined): void;
  /** Whether a zone was ever unavailable. */
  readonly zonesWereDown: boolean;
  /** Creates an instance in a model's name: tagged with that machine ('' = none), and a nonce of its own. */
  plant(modelUuid: string, machine: string): void;
  readonly planted: readonly Planted[];
}

export interface Planted {
  readonly instance: string;
  readonly model: string;
  readonly machine: string;
  readonly at: number;
  /** Time at which the instance was stopped. */
  goneAt: number | undefined;
}

/** The user admin, on a host of the network. */
/** Content for a resource. */
export interface SimUpload {
  readonly application: string;
  readonly name: string;
  readonly content: string;
  /** Id of an upload that was announced before. */
  readonly pendingId?: string;
}

export interface SimOperator {
  /** Clock of the operator's host. */
  readonly clock: Clock;
  /** Connects to a model; `undefined` = the controller. A lost connection is replaced. */
  connect(modelUuid?: string): Promise<Connection>;
  /**
   * Calls a method over that connection. `try again` (the connection was lost: the call may have been carried out or
   * not) is thrown to the caller; bulk errors stay in the result.
   */
  call<R = unknown>(
    modelUuid: string | undefined,
    facade: string,
    method: string,
    params?: unknown,
  ): Promise<R>;
  /** Calls a method of the controller that has the model; otherwise as call. */
  callController<R = unknown>(
    modelUuid: string,
    facade: string,
    method: string,
    params?: unknown,
  ): Promise<R>;
  /** Calls ModelManager.CreateModel until it succeeds; returns the model's uuid. */
  addModel(name: string, config?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Adds a charm as if uploaded, without the archive; returns `local:web-0`. */
  addCharm(modelUuid: string, charm: SimCharm): Promise<string>;
  /** Uploads the content of an application's resource. Errors: `try again` when it broke off. */
  attach(modelUuid: string, upload: SimUpload): Promise<void>;
  /** Sleeps in simulated time. */
  sleep(ms: number): Promise<void>;
  random(): number;
}
