/** Interface of the stages for scenarios: machines of this host, or the simulated world. */
import type { Look } from './conditions.ts';
import type { CloudEvent, Outcome, ScenarioCharm } from './scenario.ts';

/** A stage for one scenario, which has a model of its own. */
export interface Stage {
  /** Value of `$MODEL`. */
  readonly model: string;
  /** Values of further words, by their names without `$`; `POOL`: the cloud's own storage pool. */
  readonly words?: Readonly<Record<string, string>>;
  /** Makes the charm deployable as `./<name>`. */
  charm(charm: ScenarioCharm): Promise<void>;
  /** Makes the file that `./<name>` in a command, or at the end of its `NAME=./<name>`, stands for. */
  file(name: string, content: string): Promise<void>;
  /** Runs the command line; a failure is part of the result. */
  grigri(argv: readonly string[]): Promise<Played>;
  look(): Promise<Look>;
  /** Hooks that the unit has run successfully, oldest first. */
  hooks(unit: string): Promise<readonly string[]>;
  /** Repeats the check; false when it does not hold within the time that everything needs to settle. */
  until(check: () => Promise<boolean>): Promise<boolean>;
  /** Sets the outcome of a unit's hook that fails or waits: `hook` is a name or `every`. */
  let(unit: string, hook: string, outcome: Outcome): Promise<void>;
  /** Kills the agent as kill -9 does; resolves when it runs again, or with `forGood` at once. */
  killAgent(machine: string, forGood: boolean): Promise<void>;
  /** Kills the controller as kill -9 does; resolves when it runs again. */
  killController(): Promise<void>;
  /** Causes a cloud event. Errors: plain Error when the stage cannot cause it (isForSimulationOnly). */
  cloud(event: CloudEvent): Promise<void>;
}

export interface Played {
  readonly code: number;
  /** Output of both streams. */
  readonly output: string;
}
