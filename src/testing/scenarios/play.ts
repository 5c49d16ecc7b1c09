/** Plays a scenario on a stage, line by line. */
import { whyNot, type Look } from './conditions.ts';
import type { Command, Condition, Scenario, Step } from './scenario.ts';
import type { Played, Stage } from './stage.ts';

/** Errors: plain Error that names the line, says what there was instead, and ends with the stage's report. */
export async function play(scenario: Scenario, stage: Stage): Promise<void> {
  for (const step of scenario.steps) {
    try {
      await act(stage, step);
    } catch (error) {
      const where = `${scenario.name}:${step.line}: ${step.text}`;
      throw new Error(`${where}\n${(error as Error).message}\n\n${await stage.report()}`, { cause: error });
    }
  }
}

async function act(stage: Stage, step: Step): Promise<void> {
  switch (step.kind) {
    case 'charm':
      return stage.charm(step.charm);
    case 'command':
      return runCommand(stage, step.command, step.fails);
    case 'expect': {
      const reason = await unmet(stage, step.conditions);
      if (reason !== undefined) throw new Error(reason);
      return;
    }
    case 'wait': {
      let reason: string | undefined;
      const check = async (): Promise<boolean> =>
        (reason = await unmet(stage, step.conditions)) === undefined;
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
      return stage.startMachines(step.startsMachines);
  }
}

async function runCommand(stage: Stage, command: Command, fails: boolean): Promise<void> {
  const played = await run(stage, command);
  if (fails !== (played.code !== 0)) throw new Error(`exit code ${played.code}\n${played.output}`);
  const reason = missing(command, played);
  if (reason !== undefined) throw new Error(reason);
}

/** The first condition that does not hold, as what there is instead. */
async function unmet(stage: Stage, conditions: readonly Condition[]): Promise<string | undefined> {
  const look = await stage.look();
  for (const condition of conditions) {
    const reason = await whyUnmet(stage, condition, look);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function whyUnmet(stage: Stage, condition: Condition, look: Look): Promise<string | undefined> {
  switch (condition.kind) {
    case 'prints':
      return missing(condition.command, await run(stage, condition.command));
    case 'last-hooks': {
      const wanted = condition.hooks.join(' ');
      const ran = (await stage.hooks(condition.unit)).slice(-condition.hooks.length).join(' ');
      return ran === wanted ? undefined : `the last hooks of ${condition.unit} are ${ran}`;
    }
    default:
      return whyNot(condition, look);
  }
}

function run(stage: Stage, { argv }: Command): Promise<Played> {
  return stage.grigri(argv.map((word) => word.replaceAll('$MODEL', stage.model)));
}

/** However wide its columns are. */
function missing({ output }: Command, played: Played): string | undefined {
  const text = oneSpaced(played.output);
  let from = 0;
  for (const line of output) {
    const wanted = oneSpaced(line);
    const at = text.indexOf(wanted, from);
    if (at < 0) return `"${line}" is not ${from > 0 ? 'after that ' : ''}in its output:\n${played.output}`;
    from = at + wanted.length;
  }
  return undefined;
}

function oneSpaced(text: string): string {
  return text.replaceAll(/[ \t]+/g, ' ');
}
