/** Plays a scenario on a stage, line by line. */
import { whyNot, type Look } from './conditions.ts';
import { matchOutput, withWords } from './match-output.ts';
import type { Command, Condition, Scenario, Step } from './scenario.ts';
import type { Played, Stage } from './stage.ts';

/**
 * Plays a scenario. Errors: plain Error that names the line, describes the actual state, and ends with the stage's
 * report.
 */
export async function play(scenario: Scenario, stage: Stage): Promise<void> {
  const scene: Scene = { stage, words: { MODEL: stage.model } };
  for (const step of scenario.steps) {
    try {
      await act(scene, step);
    } catch (error) {
      const where = `${scenario.name}:${step.line}: ${step.text}`;
      throw new Error(`${where}\n${(error as Error).message}\n\n${await stage.report()}`, { cause: error });
    }
  }
}

interface Scene {
  readonly stage: Stage;
  /** Values of `$name` words. */
  readonly words: Record<string, string>;
}

async function act(scene: Scene, step: Step): Promise<void> {
  const { stage } = scene;
  switch (step.kind) {
    case 'charm':
      return stage.charm(step.charm);
    case 'command':
      return runCommand(scene, step.command, step.fails);
    case 'expect': {
      const reason = await unmet(scene, step.conditions);
      if (reason !== undefined) throw new Error(reason);
      return;
    }
    case 'wait': {
      let reason: string | undefined;
      const check = async (): Promise<boolean> =>
        (reason = await unmet(scene, step.conditions)) === undefined;
      if (!(await stage.until(check))) throw new Error(`waited in vain: ${reason}`);
      return;
    }
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

async function runCommand(scene: Scene, command: Command, fails: boolean): Promise<void> {
  const played = await run(scene, command);
  if (fails !== (played.code !== 0)) throw new Error(`exit code ${played.code}\n${played.output}`);
  const reason = missing(command, played, scene);
  if (reason !== undefined) throw new Error(reason);
}

/** Describes the actual state for the first condition that does not hold; undefined when all hold. */
async function unmet(scene: Scene, conditions: readonly Condition[]): Promise<string | undefined> {
  const look = await scene.stage.look();
  for (const condition of conditions) {
    const reason = await whyUnmet(scene, condition, look);
    if (reason !== undefined) return reason;
  }
  return undefined;
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
