/** Choice of the program that a start of a controller runs (docs/upgrades.md). */
import { readProgramState, startState, writeProgramState } from '../../agent/program/state.ts';
import { setWatch } from '../../agent/program/watch.ts';
import { choiceFile, hasProgram } from './controller-programs.ts';
import { restoreStore } from './restore-store.ts';

/**
 * Chooses the build of this start, and sets a watch over one that is tried. `isRun`: whether the controller is to be
 * served, as opposed to commands on a stopped one; `say`: tells the controller's log. Undefined = the installed
 * program.
 */
export async function chooseProgram(
  dataDir: string,
  {
    isRun,
    launcher,
    say,
  }: { readonly isRun: boolean; readonly launcher: string; readonly say: (line: string) => void },
): Promise<string | undefined> {
  const file = choiceFile(dataDir);
  const before = readProgramState(file);
  if (!before) return undefined;
  const exists = (build: string): boolean => hasProgram(dataDir, build);
  if (!exists(before.current)) {
    say(`the files of program ${short(before.current)} are missing: the installed one runs`);
    return undefined;
  }
  if (!isRun) return before.current;
  const state = startState(before, { installed: '', before: undefined, exists, aim: 'come up' });
  if (state.failed && state.failed !== before.failed) {
    // The choice is written last: a start after a kill restores again.
    await restoreStore(dataDir, before.trying!.format!);
    say(
      `the controller goes back to program ${short(state.current)}: ${short(state.failed.build)} did not come up: ${state.failed.message}`,
    );
  }
  // Written before the start, so that every start counts.
  if (state !== before) writeProgramState(file, state);
  if (!state.trying) return state.current;
  say(`the controller tries program ${short(state.trying.build)}`);
  setWatch(launcher, file);
  return state.trying.build;
}

function short(build: string): string {
  return build.slice(0, 12);
}
