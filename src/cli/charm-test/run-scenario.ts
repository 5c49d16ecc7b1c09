/** Runs a scenario against a charm, in a model of its own; a failed run can be continued. */
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../core/defined.ts';
import { timeLimit } from '../../kit/clock.ts';
import { unitsOf } from '../../operate/scenario/conditions.ts';
import { Play, StepFailed } from '../../operate/scenario/play.ts';
import type { Scenario, Step } from '../../operate/scenario/scenario.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { gatherEvidence } from './evidence.ts';
import { localStage, type LocalStage, type Ran } from './local-stage.ts';
import type { Failure, ScenarioReport, StepReport, UnitReport } from './report.ts';
import type { Throwaway } from './throwaway.ts';

/** Interval in milliseconds between two looks at the model. */
const lookMs = 200;

export interface ScenarioFile {
  readonly scenario: Scenario;
  /** Absolute path; absent for the default scenario. */
  readonly file?: string;
}

export interface RunOptions {
  /** Path of the charm under test: `$CHARM`. */
  readonly charm: string;
  /** Further settings of the model. */
  readonly config: readonly string[];
  /** Maximum duration of one step in milliseconds. */
  readonly timeoutMs: number;
  readonly onStep: (step: Step) => void;
}

export class ScenarioRun {
  readonly #context: CommandContext;
  readonly #controller: Throwaway;
  readonly #file: string | undefined;
  readonly #options: RunOptions;
  readonly #stage: LocalStage;
  readonly #model: { readonly name: string; readonly uuid: string };
  readonly #play: Play;
  /** Seconds of each step that was begun, and when the running step began. */
  readonly #seconds = new Map<number, number>();
  #begun: { readonly index: number; readonly at: number } | undefined;
  /** First step that has not passed yet. */
  #next = 0;

  private constructor(
    { context, controller, options }: Surroundings,
    { scenario, file }: ScenarioFile,
    model: { name: string; uuid: string; folder: string },
    site: { provider: Provider; controllerUuid: string },
  ) {
    this.#context = context;
    this.#controller = controller;
    this.#file = file;
    this.#options = options;
    this.#model = model;
    this.#stage = localStage({
      ...site,
      model,
      controllerDir: controller.controllerDir,
      clock: context.io.clock,
      folder: model.folder,
      run: (argv) => this.run(argv),
      connect: () => controller.connect(model.uuid),
      until: (check) => this.#until(check),
    });
    this.#play = new Play(
      scenario,
      { ...this.#stage, words: { ...this.#stage.words, CHARM: options.charm } },
      {
        // A scenario whose hooks are retried automatically expects them to fail.
        failedHooksEnd: !options.config.some((one) => one.startsWith('automatically-retry-hooks=')),
        onStep: (step, index) => this.#began(step, index),
      },
    );
  }

  /** Adds the scenario's model. Errors: plain Error. */
  static async create(surroundings: Surroundings, from: ScenarioFile): Promise<ScenarioRun> {
    const { context, controller, options, modelName } = surroundings;
    const provider = (await context.io.providers()).get('local');
    if (!provider) throw new Error('there is no provider of machines on this host');
    const model = await controller.addModel(modelName, options.config);
    const { uuid } = await controller.access();
    return new ScenarioRun(surroundings, from, model, { provider, controllerUuid: uuid });
  }

  /** Name of the model. */
  get model(): string {
    return this.#model.name;
  }

  /** Absolute path of the scenario; undefined for the default scenario. */
  get file(): string | undefined {
    return this.#file;
  }

  get stage(): LocalStage {
    return this.#stage;
  }

  /**
   * Plays the steps that have not passed yet; after the end, the checks: the last steps, which change nothing. Errors:
   * those of ^C.
   */
  async play(): Promise<ScenarioReport> {
    const { clock, signal } = this.#context.io;
    const startedAt = clock.now();
    const { steps } = this.#play.scenario;
    let failed: StepFailed | undefined;
    if (this.#next === steps.length) this.#next = firstCheck(this.#play.scenario);
    try {
      await this.#play.run(this.#next);
      this.#next = steps.length;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StepFailed)) throw error;
      failed = error;
      this.#next = error.index;
    }
    this.#ended();
    const failure = failed && (await this.#failure(failed));
    const { name, title } = this.#play.scenario;
    return {
      name,
      title,
      ...defined({ file: this.#file }),
      passed: !failure,
      seconds: (clock.now() - startedAt) / 1000,
      steps: steps.map((step, index) => this.#stepReport(step, index)),
      units: await this.#units(),
      ...defined({ failure }),
    };
  }

  /**
   * Takes the changed text of its scenario, which is played from the first new step. Returns false, and changes
   * nothing, when that needs another model.
   */
  follow(scenario: Scenario): boolean {
    const first = firstNew(this.#play.scenario, scenario, this.#next);
    if (first === undefined) return false;
    this.#play.scenario = scenario;
    this.#next = first;
    for (const index of this.#seconds.keys()) if (index >= first) this.#seconds.delete(index);
    return true;
  }

  /** Runs a command in the model; its paths are relative to the scenario's file. */
  run(argv: readonly string[]): Promise<Ran> {
    const { clock, signal, cwd } = this.#context.io;
    const limit = timeLimit(clock, this.#options.timeoutMs, signal);
    return this.#controller
      .run(argv, {
        cwd: this.#file === undefined ? cwd : dirname(this.#file),
        model: this.#model.name,
        signal: limit.signal,
      })
      .finally(limit.done);
  }

  async close(): Promise<void> {
    await this.#stage.close();
  }

  async #until(check: () => Promise<boolean>): Promise<boolean> {
    const { clock, signal } = this.#context.io;
    for (const deadline = clock.now() + this.#options.timeoutMs; clock.now() < deadline;) {
      // No condition holds while the controller is down.
      if (await check().catch(() => false)) return true;
      await clock.sleep(lookMs, signal);
    }
    return false;
  }

  #began(step: Step, index: number): void {
    this.#ended();
    this.#begun = { index, at: this.#context.io.clock.now() };
    this.#options.onStep(step);
  }

  #ended(): void {
    if (this.#begun)
      this.#seconds.set(this.#begun.index, (this.#context.io.clock.now() - this.#begun.at) / 1000);
    this.#begun = undefined;
  }

  #stepReport({ line, text }: Step, index: number): StepReport {
    const outcome = index < this.#next ? 'passed' : index === this.#next ? 'failed' : 'skipped';
    return { line, text, outcome, seconds: this.#seconds.get(index) ?? 0 };
  }

  async #units(): Promise<UnitReport[]> {
    const status = await this.#stage.status().catch(() => undefined);
    return [...unitsOf(status)].map(([unit, shown]) => ({
      unit,
      workload: shown['workload-status'].status,
      agent: shown['agent-status'].status,
      message: shown['workload-status'].info,
    }));
  }

  async #failure({ step, reason }: StepFailed): Promise<Failure> {
    const { clock, signal } = this.#context.io;
    const access = await this.#controller.access();
    const evidence = await gatherEvidence({
      status: await this.#stage.status().catch(() => undefined),
      step: step.text,
      run: (argv) => this.run(argv),
      clock,
      log: { ...access, modelUuid: this.#model.uuid, signal },
    });
    return { line: step.line, step: step.text, expected: expectationOf(step), found: reason, ...evidence };
  }
}

interface Surroundings {
  readonly context: CommandContext;
  readonly controller: Throwaway;
  readonly options: RunOptions;
  readonly modelName: string;
}

function expectationOf(step: Step): string {
  switch (step.kind) {
    case 'wait':
    case 'expect': {
      const [condition] = step.conditions;
      const prints = condition?.kind === 'prints' ? ` prints ${quoted(condition.command.output)}` : '';
      return `${step.text.replace(/^wait until |^expect /, '')}${prints}`;
    }
    case 'command': {
      const { output } = step.command;
      const printed = output.length > 0 ? ` and prints ${quoted(output)}` : '';
      return `the command ${step.fails ? 'fails' : 'succeeds'}${printed}`;
    }
    default:
      return 'the step succeeds';
  }
}

function quoted(lines: readonly string[]): string {
  return lines.map((line) => `"${line}"`).join(', then ');
}

/**
 * Returns the index of the first of the last steps that change nothing: they wait, expect, or check what a command
 * prints.
 */
function firstCheck({ steps }: Scenario): number {
  return steps.findLastIndex((step) => !isCheck(step)) + 1;
}

/**
 * Returns the index of the step from which a changed scenario goes on in a model in which `played` steps of `before`
 * have passed; undefined when a step that may have changed the model has changed or is gone.
 */
export function firstNew(before: Scenario, after: Scenario, played: number): number | undefined {
  const differs = before.steps.findIndex((step, index) => !isSame(step, after.steps[index]));
  if (differs === -1 || differs >= played) return played;
  return before.steps.slice(differs, played).every(isCheck) ? differs : undefined;
}

function isSame(step: Step, other: Step | undefined): boolean {
  return isDeepStrictEqual(step, other && { ...other, line: step.line });
}

function isCheck(step: Step): boolean {
  return (
    step.kind === 'wait' ||
    step.kind === 'expect' ||
    (step.kind === 'command' && step.command.output.length > 0)
  );
}
