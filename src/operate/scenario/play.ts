/** Plays a scenario on a stage, step by step. */
import { unitsOf, whyNot, type Look } from './conditions.ts';
import { matchOutput, withWords } from './match-output.ts';
import type { Command, Condition, Scenario, Step } from './scenario.ts';
import type { Played, Stage } from './stage.ts';

export interface PlayOptions {
  /** Whether a hook that fails ends a wait that is not about errors: nobody is going to retry the hook. */
  readonly failedHooksEnd?: boolean;
  /** Called before each step. */
  readonly onStep?: (step: Step, index: number) => void;
}

/** Play of a scenario. It may be continued after a failure, from the step that failed. */
export class Play {
  readonly #scene: Scene;
  /** The scenario; another one may be set between two runs, and goes on in the model as it is. */
  scenario: Scenario;

  constructor(scenario: Scenario, stage: Stage, options: PlayOptions = {}) {
    this.scenario = scenario;
    this.#scene = {
      stage,
      options,
      words: { ...stage.words, MODEL: stage.model },
      expectedErrors: new Set(),
    };
  }

  /** Plays the steps from `first` on. Errors: StepFailed. */
  async run(first = 0): Promise<void> {
    const { name, steps } = this.scenario;
    for (let index = first; index < steps.length; index++) {
      const step = steps[index]!;
      this.#scene.options.onStep?.(step, index);
      try {
        await act(this.#scene, step);
      } catch (error) {
        throw new StepFailed(name, { step, index }, error as Error);
      }
    }
  }
}

/** Plays a whole scenario. Errors: StepFailed. */
export function play(scenario: Scenario, stage: Stage): Promise<void> {
  return new Play(scenario, stage).run();
}

/** Error of a step: its message names the line and describes the actual state. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly step: Step;
  /** Index of the step in the scenario. */
  readonly index: number;
  /** The actual state, in place of the expected one. */
  readonly reason: string;

  constructor(scenario: string, { step, index }: { step: Step; index: number }, cause: Error) {
    super(`${scenario}:${step.line}: ${step.text}\n${cause.message}`, { cause });
    this.step = step;
    this.index = index;
    this.reason = cause.message;
  }
}

interface Scene {
  readonly stage: Stage;
  readonly options: PlayOptions;
  /** Values of `$name` words. */
  readonly words: Record<string, string>;
  /** Errors of units that a condition has asked for, by unit and time. */
  readonly expectedErrors: Set<string>;
}

async function act(scene: Scene, step: Step): Promise<void> {
  const { stage } = scene;
  switch (step.kind) {
    case 'charm':
      return stage.charm(step.charm);
    case 'file':
      return stage.file(step.name, step.content);
    case 'command':
      return runCommand(scene, step.command, step.fails);
    case 'expect': {
      const { reason } = await unmet(scene, step.conditions);
      if (reason !== undefined) throw new Error(reason);
      return;
    }
    case 'wait':
      return waitUntil(scene, step.conditions);
    case 'let':
      return stage.let(step.unit, step.hook, step.outcome);
    case 'kill-agent':
      return stage.killAgent(step.machine, step.forGood);
    case 'kill-controller':
      return stage.killController();
    case 'cloud':
      return stage.cloud(step.event);
  }
}

async function waitUntil(scene: Scene, conditions: readonly Condition[]): Promise<void> {
  let seen: Unmet | undefined;
  let failed: string | undefined;
  const isAboutErrors = conditions.some((one) => one.kind === 'is' && one.state === 'error');
  const endsEarly = scene.options.failedHooksEnd === true && !isAboutErrors;
  const check = async (): Promise<boolean> => {
    seen = await unmet(scene, conditions);
    if (endsEarly && seen.reason !== undefined) failed = unexpectedError(scene, seen.look);
    return seen.reason === undefined || failed !== undefined;
  };
  const settled = await scene.stage.until(check);
  if (failed !== undefined) throw new Error(failed);
  if (!settled) throw new Error(`waited in vain: ${seen?.reason ?? 'the model could not be looked at'}`);
}

async function runCommand(scene: Scene, command: Command, fails: boolean): Promise<void> {
  const played = await run(scene, command);
  if (fails !== (played.code !== 0)) throw new Error(`exit code ${played.code}\n${played.output}`);
  const reason = missing(command, played, scene);
  if (reason !== undefined) throw new Error(reason);
}

interface Unmet {
  readonly look: Look;
  /** Actual state for the first condition that does not hold; undefined when all hold. */
  readonly reason: string | undefined;
}

async function unmet(scene: Scene, conditions: readonly Condition[]): Promise<Unmet> {
  const look = await scene.stage.look();
  for (const condition of conditions) {
    const reason = await whyUnmet(scene, condition, look);
    if (reason !== undefined) return { look, reason };
  }
  if (conditions.some((one) => one.kind === 'is' && one.state === 'error'))
    for (const { key } of errorsIn(look)) scene.expectedErrors.add(key);
  return { look, reason: undefined };
}

function unexpectedError({ expectedErrors }: Scene, look: Look): string | undefined {
  return errorsIn(look).find(({ key }) => !expectedErrors.has(key))?.text;
}

function errorsIn(look: Look): { key: string; text: string }[] {
  return [...unitsOf(look.status)].flatMap(([name, unit]) => {
    const { status, info, since } = unit['workload-status'];
    return status === 'error'
      ? [{ key: `${name} ${since}`, text: `unit ${name} is in error (${info})` }]
      : [];
  });
}

async function whyUnmet(scene: Scene, condition: Condition, look: Look): Promise<string | undefined> {
  switch (condition.kind) {
    case 'prints':
      return missing(condition.command, await run(scene, condition.command), scene);
    case 'last-hooks': {
      const wanted = condition.hooks.join(' ');
      const ran = (await scene.stage.hooks(condition.unit)).slice(-condition.hooks.length).join(' ');
      return ran === wanted ? undefined : `the last hooks of ${condition.unit} are ${ran}`;
    }
    default:
      return whyNot(condition, look);
  }
}

/** First expected output that is missing; words that the output names are kept for later lines. */
function missing({ output }: Command, played: Played, scene: Scene): string | undefined {
  const match = matchOutput(output, played.output);
  if ('missing' in match) return match.missing;
  Object.assign(scene.words, match.words);
  return undefined;
}

function run({ stage, words }: Scene, { argv }: Command): Promise<Played> {
  return stage.grigri(argv.map((word) => withWords(word, words)));
}
