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
import type { Connection } from '../../client/connection.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Instance } from '../../providers/provider.ts';
import type { Commit, Reader } from '../../store/store.ts';
import type { SimulatedRun } from '../simulated-hooks.ts';
import type { HookResult } from '../../hooks/run-hook.ts';

/** Everything that can go wrong by itself. Each kind has a rate, and is counted each time that it happens. */
export const faultKinds = [
  // Processes and machines; rates are per simulated hour, for the controller and for each machine.
  'controller-crash',
  'agent-crash',
  'machine-reboot',
  'machine-lost',
  'partition',
  'clock-forward',
  'clock-back',
  'operator-disconnect',
  // The network; chances 0 to 1 for each message, or each attempt to connect.
  'message-late',
  'message-lost',
  'answer-lost',
  'answers-reordered',
  'connection-reset',
  'connection-half-open',
  'connection-refused',
  // The controller's disk; chances for each write.
  'disk-slow',
  'disk-error',
  'crash-before-durable',
  'crash-after-durable',
  // The cloud; chances for each call, and for each instance that is to boot.
  'cloud-transient',
  'cloud-zonal',
  'cloud-quota',
  'cloud-credential',
  'cloud-bad-request',
  'cloud-answer-lost',
  'cloud-slow',
  'boot-slow',
  // The charms; chances for each run of a hook.
  'hook-failed',
  'hook-slow',
  'hook-killed',
  'hook-reboot',
] as const;
export type FaultKind = (typeof faultKinds)[number];
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

export interface WorldOptions {
  readonly seed: number;
  /** Default: nothing goes wrong. */
  readonly faults?: FaultRates;
  /** Keeps the trace's lines, not only its hash. */
  readonly keepTrace?: boolean;
  /** Only after this line of the trace are lines kept: for the end of a long run. */
  readonly keepTraceFrom?: number;
  /** Checks the controller's answers against their schemas; what fails is in `failures`. Default: true. */
  readonly validate?: boolean;
}

/** A charm and what its hooks do. */
export interface SimCharm {
  readonly name: string;
  /** metadata.yaml's members, as an object: `{ provides: { db: { interface: 'x' } }, subordinate: true }`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** config.yaml's options. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** actions.yaml's actions. */
  readonly actions?: Readonly<Record<string, unknown>>;
  /**
   * What a run of a hook or action does, after the time it takes; with `defaultHook` unless given: `start` sets the
   * workload active and opens a port, `*-relation-joined` writes to the unit's bag, `*-relation-changed` reads those of
   * the others, the leader writes the application's.
   */
  readonly run?: (run: SimulatedRun & HookHelp) => Promise<Partial<HookResult> | void>;
}

export interface HookHelp {
  /** Of the machine. */
  sleep(ms: number): Promise<void>;
  /** Of the machine's process. */
  random(): number;
}

/** One run of a hook, from its start to its end; `end` stays open when the agent died within it. */
export interface HookEvent {
  readonly at: number;
  readonly phase: 'begin' | 'end';
  readonly instance: string;
  readonly machine: string;
  readonly unit: string;
  /** `install`, `db-relation-joined`; an action's name. */
  readonly name: string;
  readonly relation?: number;
  readonly remoteUnit?: string;
  /** At the end. */
  readonly result?: HookResult['kind'] | 'aborted';
}

export interface World {
  readonly seed: number;
  /** Simulated milliseconds since the world began. */
  now(): number;
  /** The caller's own stream of chance: 0 ≤ x < 1. Asking it changes nothing else. */
  random(): number;
  readonly controller: SimController;
  /** Every machine that ever ran, in the order in which their instances were made. */
  readonly machines: readonly SimMachine[];
  readonly cloud: SimCloud;
  readonly faults: {
    /** How often each happened. */
    readonly counts: Readonly<Record<FaultKind, number>>;
    /** `quota at start group` → how often a call of the cloud failed so; every pair is in it. */
    readonly calls: Readonly<Record<string, number>>;
    /** From now on these; kinds that are not named keep theirs. */
    set(rates: FaultRates): void;
  };

  /**
   * Lets `script` act as the user admin, at once and beside whatever else goes on; when it rejects, its error is in
   * `failures`. Await nothing in it but what the operator gives.
   */
  operator(script: (operator: SimOperator) => Promise<void>): void;
  /** Calls `act` at a time, unless the world has ended by then. */
  at(ms: number, name: string, act: () => void): void;
  /** No more faults; what is broken is mended: partitions heal, crashed processes start, clocks stay as they are. */
  calm(): void;
  /** Lets so much time pass. Stops early when something failed. */
  runFor(ms: number): Promise<void>;
  /**
   * Lets time pass until `condition` (asked after each event that changed the store, and each second), or `withinMs`.
   */
  runUntil(condition: () => boolean, withinMs: number): Promise<boolean>;
  /** One event; false when there is none left. */
  step(): Promise<boolean>;

  /** Each durable commit of every controller that ran, once, in order. A throw is a failure of the world. */
  onCommit(listener: (commit: Commit<Entities>, reader: Reader<Entities>) => void): void;
  /** Each run of a hook. A throw is a failure of the world. */
  onHook(listener: (event: HookEvent) => void): void;
  /** Each instance that a start makes, before anybody hears of it. */
  onInstance(listener: (instance: Instance, modelUuid: string) => void): void;
  /** What must never happen: unhandled rejections, errors that the controller calls its own, listeners' throws. */
  readonly failures: readonly WorldFailure[];
  /** Adds one: for invariants that are found broken from outside. */
  fail(what: string, error?: unknown): void;

  /** 16 hex digits over every event so far. */
  traceHash(): string;
  /** `12.345 machine-3 message Application.Deploy`: with `keepTrace`. */
  readonly trace: readonly string[];
  /** Events so far. */
  readonly events: number;
  stop(): Promise<void>;
}

export interface WorldFailure {
  readonly at: number;
  /** Number of the event: where a trace of the same seed is to be looked at. */
  readonly event: number;
  readonly process: string;
  readonly what: string;
  readonly error?: unknown;
}

/**
 * A program that can be killed at any of its steps: an event that reaches it, or something that it does to the world.
 */
export interface Crashable {
  readonly up: boolean;
  /** Steps of the process that runs, since its start. */
  readonly steps: number;
  /** How often it died. */
  readonly crashes: number;
  /** As `kill -9`: nothing of it ever runs again. It is started again by whoever supervises it, after a while. */
  crash(): void;
  /** Crashes it right before its step of that number (from 1): for a walk over every point. Once, not at each start. */
  crashAtStep(step: number): void;
}

export interface SimController extends Crashable {
  readonly uuid: string;
  readonly modelUuid: string;
  /** The durable documents; also while it is down. */
  read(): Reader<Entities>;
  /** Starts it at once, when it is down. */
  start(): void;
  /** Its clock, from now on this much off; timers are not concerned. */
  jumpClock(ms: number): void;
  /** What every controller logged at ERROR or above: `at` and the line. */
  readonly errors: readonly { readonly at: number; readonly line: string }[];
}

export interface SimMachine extends Crashable {
  readonly instance: string;
  readonly model: string;
  /** The machine's number. */
  readonly id: string;
  readonly state: 'booting' | 'running' | 'stopped' | 'lost' | 'released';
  /** The agent ended by itself because its machine is dead. */
  readonly removed: boolean;
  /** The agent dies with all hooks; comes back with another boot id. */
  reboot(): void;
  /** For good: `instance` says whether the cloud goes on showing it. */
  lose(instance: 'stays' | 'vanishes'): void;
  /** Its instance is there and does not run, until somebody starts it again. */
  halt(): void;
  /** Nothing passes between it and the controller for so long; connections stay half open. */
  partition(ms: number): void;
  jumpClock(ms: number): void;
  /** Units that something is there of, on its disk. */
  units(): readonly string[];
}

export interface SimCloud {
  /** All that exists now. */
  instances(): readonly (Instance & { readonly modelUuid: string; readonly nonce: string })[];
  /** 0 is no limit. */
  setQuota(quota: number): void;
  setZone(name: string, availability: 'available' | 'unavailable'): void;
  /** Every start, in these words, for a reason that may pass; `undefined` = not any more. */
  failStarts(message: string | undefined): void;
  /** In these words; `undefined` = it is accepted again. */
  refuseCredential(message: string | undefined): void;
  /** Whether a zone was ever unavailable. */
  readonly zonesWereDown: boolean;
  /** Something makes an instance in a model's name: tagged with that machine ('' = none), and a nonce of its own. */
  plant(modelUuid: string, machine: string): void;
  readonly planted: readonly Planted[];
}

export interface Planted {
  readonly instance: string;
  readonly model: string;
  readonly machine: string;
  readonly at: number;
  /** When it was stopped. */
  goneAt: number | undefined;
}

/** The user admin, somewhere on the network. */
export interface SimOperator {
  /** `undefined` = the controller. A connection is made when there is none, and made again when it is lost. */
  connect(modelUuid?: string): Promise<Connection>;
  /**
   * A call over that connection. `try again` (the connection was lost: what was asked may have happened, or not) comes
   * to the caller; bulk errors too, as the result has them.
   */
  call<R = unknown>(
    modelUuid: string | undefined,
    facade: string,
    method: string,
    params?: unknown,
  ): Promise<R>;
  /** ModelManager.CreateModel until it succeeds; returns its uuid. */
  addModel(name: string, config?: Readonly<Record<string, unknown>>): Promise<string>;
  /** As if uploaded, without the archive; returns `local:web-0`. */
  addCharm(modelUuid: string, charm: SimCharm): Promise<string>;
  /** Simulated time. */
  sleep(ms: number): Promise<void>;
  random(): number;
}
