/** Reads and plays the scenarios of test/scenarios. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScenario } from '../../operate/scenario/parse.ts';
import { play } from '../../operate/scenario/play.ts';
import type { Scenario } from '../../operate/scenario/scenario.ts';
import type { Stage } from '../../operate/scenario/stage.ts';

/** Stage that can describe its model, for a scenario that failed. */
export interface ReportingStage extends Stage {
  report(): Promise<string>;
}

const folder = join(import.meta.dirname, '../../../test/scenarios');

/** Reads all scenarios. Errors: plain Error for a scenario whose last step does not wait until nothing is left. */
export function readScenarios(): Scenario[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => {
      const scenario = parseScenario(file.replace('.txt', ''), readFileSync(join(folder, file), 'utf8'));
      if (!endsEmpty(scenario))
        throw new Error(
          `${file}: what is waited for last is that nothing is left, or that the model is gone`,
        );
      return scenario;
    });
}

/** Returns whether the scenario shows that everything it made is removed. */
export function endsEmpty({ steps }: Scenario): boolean {
  const last = steps.findLast((step) => step.kind === 'wait');
  return (
    last?.kind === 'wait' &&
    last.conditions.some(
      (one) =>
        one.kind === 'nothing-left' || (one.kind === 'is' && one.noun === 'model' && one.state === 'gone'),
    )
  );
}

/** Plays a scenario. Errors: those of play, with the stage's report. */
export async function playOrReport(scenario: Scenario, stage: ReportingStage): Promise<void> {
  try {
    await play(scenario, stage);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${await stage.report()}`, { cause: error });
  }
}
