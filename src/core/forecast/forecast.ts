/** A forecast: what it is made of, and what it says (forecasts.md). All of it is JSON, as it goes to another thread. */
import type { Base } from '../base.ts';
import type { Actor, Explanation } from '../explain/explanation.ts';
import type { Kind } from '../kinds.ts';
import type { KnownDurations, SeenDurations } from './durations.ts';
import type { ForecastEvent } from './events.ts';
import type { ForecastFile } from './file.ts';

/** A copy of a model, and what is assumed to happen to it. */
export interface ForecastInput {
  readonly modelUuid: string;
  readonly controllerUuid: string;
  /** Time on the controller's clock at the copy, in milliseconds since 1970: the forecast's beginning. */
  readonly now: number;
  readonly seed: number;
  readonly horizonMs: number;
  /** Milliseconds of real time after which the forecast ends before its horizon. */
  readonly wallMs: number;
  readonly events: readonly ForecastEvent[];
  /** Files that events apply. */
  readonly files: readonly ForecastFile[];
  readonly documents: readonly CopiedDocument[];
  /** Machines whose agent is connected. */
  readonly present: readonly string[];
  /** Number of those that are only expected to connect, because the controller has started just now. */
  readonly awaited: number;
  readonly cloud: CloudTraits;
  readonly durations: KnownDurations;
}

/** Settings that the copy of a model has otherwise than the model: they belong to no model file there. */
export const settingsOfCopy: ReadonlySet<string> = new Set(['secret-backend', 'update-status-hook-interval']);

export interface CopiedDocument {
  readonly space: string;
  readonly kind: Kind;
  readonly id: string;
  readonly doc: object;
}

/** What the model's cloud can do, as far as a forecast depends on it. */
export interface CloudTraits {
  readonly type: string;
  /** Names of its zones; absent = it has none. */
  readonly zones?: readonly string[];
  readonly groups: boolean;
  readonly containers: boolean;
  readonly profiles: boolean;
  readonly networks: boolean;
  /** Type of its volumes; absent = it has none. */
  readonly volumes?: string;
  readonly bases?: readonly Base[];
}

/** What the forecast says. */
export interface Forecast {
  /** Time of its beginning, in milliseconds since 1970. */
  readonly beganMs: number;
  readonly horizonMs: number;
  /** Time until which the model was played: less than the horizon when something was used up before. */
  readonly playedMs: number;
  /** What was used up before the horizon; absent = nothing. */
  readonly usedUp?: 'time' | 'memory';
  /** Hooks of relations that were due then, and the earliest time at which they have run; absent = there were none. */
  readonly due?: { readonly hooks: number; readonly untilMs: number };
  /** What happens, in the order of time; the first ones, when there are more. */
  readonly timeline: readonly ForecastLine[];
  /** Number of all lines. */
  readonly lines: number;
  /** Time since which nothing is under way any more; absent = something still is, or a failed hook is retried. */
  readonly atRestMs?: number;
  /** Time of the last change, but for retries of failed hooks. */
  readonly changedMs: number;
  /** Failed hooks that agents retry at the end; the first ones, when there are more. */
  readonly retried: readonly Retried[];
  /** Number of all of these. */
  readonly retriedHooks: number;
  /** Set when starts of machines are suspended at the end and tried again: when next, where that is known. */
  readonly suspendedStarts?: { readonly nextMs?: number };
  /** Number of agents that were taken for connected because the controller had started just now. */
  readonly awaited: number;
  /** What the times of hooks and machines are taken from. */
  readonly durations: SeenDurations;
  /** What is not as it should be at the end; the first ones, when there are more. */
  readonly stuck: readonly Stuck[];
  /** Number of all of these. */
  readonly stuckEntities: number;
  /** How the model is at the end. */
  readonly end: EndState;
}

export interface ForecastLine {
  /** Milliseconds since the forecast's beginning. */
  readonly atMs: number;
  /** `machine 3`, `unit mysql/0`; `event` for what was assumed. */
  readonly entity: string;
  readonly what: string;
}

export interface Stuck {
  /** `unit mysql/0`. */
  readonly entity: string;
  /** Milliseconds since the forecast's beginning; 0 = it was so from the beginning. */
  readonly sinceMs: number;
  readonly explanation: Explanation;
  readonly next: readonly Actor[];
}

interface Retried {
  /** `unit mysql/0`. */
  readonly entity: string;
  readonly hook: string;
  /** Milliseconds since the forecast's beginning: when the hook runs next; absent = it runs, or its agent does not say. */
  readonly nextMs?: number;
}

/** Number of entities at the end, and of those that are as they should be. */
export interface EndState {
  readonly units: Counts;
  readonly machines: Counts;
}
interface Counts {
  readonly all: number;
  readonly well: number;
}
