/** Where scenarios are played: on machines of this host, or in the simulated world. */
import type { Look } from './conditions.ts';
import type { CloudEvent, Outcome, ScenarioCharm } from './scenario.ts';

/** For one scenario: it has a model of its own, and is the only one to use it. */
export interface Stage {
  /** What `$MODEL` stands for. */
  readonly model: string;
  /** Makes the charm deployable as `./<name>`. */
  charm(charm: ScenarioCharm): Promise<void>;
  /** Runs the command line; whatever comes of it. */
  grigri(argv: readonly string[]): Promise<Played>;
  look(): Promise<Look>;
  /** Those that the unit has run with success, the first first. */
  hooks(unit: string): Promise<readonly string[]>;
  /** Asks again and again; false when it is not so in a time in which everything should have come to rest. */
  until(check: () => Promise<boolean>): Promise<boolean>;
  /** Says what becomes of a hook of this unit that fails or waits: `hook` is a name or `every`. */
  let(unit: string, hook: string, outcome: Outcome): Promise<void>;
  /** As kill -9; resolves when it runs again, or `forGood` at once. */
  killAgent(machine: string, forGood: boolean): Promise<void>;
  /** As kill -9; resolves when it runs again. */
  killController(): Promise<void>;
  /** Errors: plain Error for what this stage cannot let happen (isForSimulationOnly). */
  cloud(event: CloudEvent): Promise<void>;
  /** What there is to read when a scenario failed. */
  report(): Promise<string>;
}

export interface Played {
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}
