/** Report of a test run, as `--format json` prints it; text and JUnit are made of it. */

export interface TestReport {
  readonly charm: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly scenarios: readonly ScenarioReport[];
}

export interface ScenarioReport {
  readonly name: string;
  readonly title: string;
  /** Path of the scenario's file; absent for the default scenario. */
  readonly file?: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly steps: readonly StepReport[];
  /** Units in their final state. */
  readonly units: readonly UnitReport[];
  readonly failure?: Failure;
}

export interface StepReport {
  readonly line: number;
  readonly text: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
}

export interface UnitReport {
  readonly unit: string;
  readonly workload: string;
  readonly agent: string;
  readonly message: string;
}

export interface Failure {
  /** Line of the step that failed. */
  readonly line: number;
  readonly step: string;
  readonly expected: string;
  readonly found: string;
  /** Last log lines of the units involved. */
  readonly hooks: readonly HookReport[];
  /** Relation data of the units involved, by unit; as `show-unit` shows it. */
  readonly relations: Readonly<Record<string, readonly unknown[]>>;
  /** Changes of the units involved, oldest first. */
  readonly timeline: readonly { readonly time: string; readonly by: string; readonly change: string }[];
}

export interface HookReport {
  readonly unit: string;
  /** Hook that failed; absent when no hook of the unit failed: its last lines are shown instead. */
  readonly hook?: string;
  readonly output: readonly string[];
  /** Python's traceback in the output; absent when there is none. */
  readonly traceback?: readonly string[];
}
