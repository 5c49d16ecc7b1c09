/** What stands for the code of charms in a simulated world: functions of a hook's context that take time. */
import type { HookContext } from '../../hooks/context.ts';
import type { HookResult } from '../../hooks/run-hook.ts';

export interface SimulatedRun {
  readonly unit: string;
  /** Name of the hook or action, or a script: `install`, `db-relation-joined`. */
  readonly name: string;
  readonly context: HookContext;
  readonly signal: AbortSignal | undefined;
  readonly log: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface HookHelp {
  /** Sleeps on the machine's clock. */
  sleep(ms: number): Promise<void>;
  /** Returns a random number of the machine's process. */
  random(): number;
  /** Returns the unit's content of a storage; undefined = the storage is not at that path. */
  storage(id: string, path: string): UsedStorage | undefined;
}

/** Runs a hook or action, after its delay; nothing returned = it succeeds. */
export type Behaviour = (run: SimulatedRun & HookHelp) => Promise<Partial<HookResult> | void>;

export interface UsedStorage {
  text: string;
  /** Instance whose own disk the storage is on; absent = the cloud holds it. */
  readonly instance?: string;
  /** Name of the cloud's volume. */
  readonly volume?: string;
}

/** Run of a hook, from its start to its end; `end` is never set when the agent died within it. */
export interface HookEvent {
  readonly at: number;
  readonly phase: 'begin' | 'end';
  readonly instance: string;
  readonly machine: string;
  readonly unit: string;
  /** Name of the hook or action: `install`, `db-relation-joined`. */
  readonly name: string;
  /** URL of the charm in the folder of the unit, and the options as the hook sees them. */
  readonly charmUrl: string;
  readonly options: ReturnType<HookContext['config']>['options'];
  readonly relation?: number;
  readonly remoteUnit?: string;
  /** Id of the action's task. */
  readonly task?: string;
  /** Result of the hook; set at the end. */
  readonly result?: HookResult['kind'] | 'aborted';
}

/** Durations in milliseconds of what takes time on machines, where they are known. */
export interface Durations {
  /** From the instance's start until its agent runs. */
  readonly boot: (machine: string) => number;
  /** The same of a machine that has run before; absent = drawn. */
  readonly reboot?: number;
  /** From the request for a container until it runs; absent = drawn. */
  readonly containerStart?: () => number;
  readonly hook: (unit: string, name: string) => number;
}
