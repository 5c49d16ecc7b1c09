/** Choice of a program, the agent's of a machine or a controller's, which its launcher keeps in a file (docs/upgrades.md). */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export interface ProgramState {
  /** Build that is known to come up: SHA-256 of its program in hex. */
  readonly current: string;
  /** Build that is being tried. */
  readonly trying?: {
    readonly build: string;
    /** Number of the controller's request. */
    readonly attempt: number;
    /** Number of starts so far. */
    readonly starts: number;
    /** Whether a start of it took too long to come up, and was ended. */
    readonly late?: true;
    /** Why its latest start failed, as it said itself; of controllers. */
    readonly problem?: string;
    /** Format of the store before it; of controllers. */
    readonly format?: number;
  };
  /** Build that did not come up. */
  readonly failed?: ProgramFailure;
}

type Trying = NonNullable<ProgramState['trying']>;

export interface ProgramFailure {
  readonly build: string;
  readonly attempt: number;
  readonly message: string;
}

/** Number of starts that a new program has to come up. */
const startsMax = 3;
/** Time in milliseconds that each of these starts has. */
export const trialMs = 120_000;

export function programFile(dataDir: string, machineTag: string): string {
  return join(dataDir, 'agents', machineTag, 'program.json');
}

/** Reads the state; undefined when there is none, or a damaged one: the machine then runs what it was set up with. */
export function readProgramState(file: string): ProgramState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as ProgramState | null;
    if (typeof state?.current !== 'string') return undefined;
    const { trying } = state;
    return trying && isLate(file, trying) ? { ...state, trying: { ...trying, late: true } } : state;
  } catch {
    return undefined;
  }
}

/**
 * Records that a start takes too long, before it is ended: the next start may come at once. In a file of its own, since
 * the program may be writing the choice.
 */
export function markLate(file: string, trying: Trying): void {
  writeFileSync(lateFile(file), startKey(trying));
}

function isLate(file: string, trying: Trying): boolean {
  return existsSync(lateFile(file)) && readFileSync(lateFile(file), 'utf8') === startKey(trying);
}

const lateFile = (file: string): string => `${file}.late`;
const startKey = ({ build, attempt, starts }: Trying): string => `${build} ${attempt} ${starts}`;

/** Replaces the file atomically and durably: a machine may lose power at any time. */
export function writeProgramState(file: string, state: ProgramState): void {
  // Another trial of the same program begins anew.
  if (!state.trying) rmSync(lateFile(file), { force: true });
  const newFile = `${file}.new`;
  const opened = openSync(newFile, 'w', 0o600);
  try {
    writeSync(opened, `${JSON.stringify(state)}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(newFile, file);
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Decides what a start runs: `trying`, else `current`. `installed`: build of the folder that the machine was set up
 * with; `before`: the build that this folder had when agents could not choose yet; `exists`: whether the files of a
 * build are there; `aim`: what a program has done when it has come up.
 */
export function startState(
  state: ProgramState | undefined,
  {
    installed,
    before,
    exists,
    aim,
  }: {
    readonly installed: string;
    readonly before: string | undefined;
    readonly exists: (build: string) => boolean;
    readonly aim: string;
  },
): ProgramState {
  if (!state || !exists(state.current))
    return before === undefined || before === installed || !exists(before)
      ? { current: installed }
      : { current: before, trying: { build: installed, attempt: 0, starts: 1 } };
  const { trying, ...rest } = state;
  if (!trying) return state;
  const { build, attempt, starts, late, problem } = trying;
  const said = problem === undefined ? '' : `: ${problem}`;
  const message = !exists(build)
    ? 'its files are missing'
    : late
      ? `it had not ${aim} within ${trialMs / 1000} s${said}`
      : starts >= startsMax
        ? `it ended ${starts} times before it had ${aim}${said}`
        : undefined;
  if (message !== undefined) return { ...rest, failed: { build, attempt, message } };
  return { ...state, trying: { ...trying, starts: starts + 1 } };
}

/** State after the program that is being tried has come up. */
export function confirmedState({ trying, failed, ...state }: ProgramState): ProgramState {
  const current = trying?.build ?? state.current;
  return failed && failed.build !== current ? { current, failed } : { current };
}
