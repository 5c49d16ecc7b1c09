/** Programs of a machine's agent, for the agent itself. */
import { execFile } from 'node:child_process';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JujuError } from '../../core/errors.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import { buildOf, programName, type ProgramFolders } from './folders.ts';
import {
  confirmedState,
  readProgramState,
  writeProgramState,
  type ProgramFailure,
  type ProgramState,
} from './state.ts';

const run = promisify(execFile);
/** Time in milliseconds that the check of a new program may take. */
const checkMs = 60_000;

export interface ProgramHost {
  /** Build of the running program. */
  readonly build: string;
  /** Build that did not come up here. */
  failure(): ProgramFailure | undefined;
  /** Records that the running program has reached the controller. */
  confirm(): Promise<void>;
  /** Makes a build ready. Errors: ProgramRefused when it cannot run here; any other when it may succeed later. */
  prepare(build: string, signal: AbortSignal): Promise<void>;
  /** Has the next start try the build. */
  choose(build: string, attempt: number): void;
  /** Records that the build cannot run here. */
  refuse(failure: ProgramFailure): void;
}

export class ProgramRefused extends Error {}

interface ProgramHostOptions {
  readonly build: string;
  readonly folders: ProgramFolders;
  /** File of the choice. */
  readonly file: string;
  /** Downloads the controller's archive of a build into a file and verifies its checksum. */
  readonly download: (build: string, file: string, signal: AbortSignal) => Promise<void>;
  /** Renews what the machine was set up with, once the running program has reached the controller; it does not fail. */
  readonly renew?: () => Promise<void>;
}

export function programHost({
  build: own,
  folders,
  file,
  download,
  renew = () => Promise.resolve(),
}: ProgramHostOptions): ProgramHost {
  let renewed: Promise<void> | undefined;
  const state = (): ProgramState => readProgramState(file) ?? { current: own };

  async function fetch(build: string, signal: AbortSignal): Promise<string> {
    const folder = join(folders.downloads, build);
    const unfinished = `${folder}.new`;
    const archive = `${folder}.tar.gz`;
    await makeFolder(folders.downloads, 0o755);
    await rm(unfinished, { recursive: true, force: true });
    try {
      await download(build, archive, signal);
      await makeFolder(unfinished, 0o755);
      await run('tar', ['-xzf', archive, '-C', unfinished], { signal });
    } finally {
      await rm(archive, { force: true });
    }
    if (buildOf(join(unfinished, programName)) !== build) {
      await rm(unfinished, { recursive: true });
      throw new JujuError('try again', `the controller has another agent than ${build.slice(0, 12)} by now`);
    }
    await run('sync', ['-f', unfinished]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
    return folder;
  }

  return {
    build: own,
    failure: () => state().failed,
    async confirm() {
      const before = state();
      if (before.trying) {
        const after = confirmedState(before);
        writeProgramState(file, after);
        // The one before stays: another upgrade may need it at once.
        await removeOthers(folders.downloads, [after.current, before.current]);
      }
      // Also after a start that was killed in between; once is enough.
      await (renewed ??= renew());
    },
    async prepare(build, signal) {
      const folder = folders.find(build) ?? (await fetch(build, signal));
      await check(folder, signal);
    },
    choose(build, attempt) {
      writeProgramState(file, { ...state(), trying: { build, attempt, starts: 0 } });
    },
    refuse(failed) {
      const { trying: _, ...rest } = state();
      writeProgramState(file, { ...rest, failed });
    },
  };
}

/** Lets the program load and read this machine's files before the running one makes way for it. */
async function check(folder: string, signal: AbortSignal): Promise<void> {
  try {
    const args = [join(folder, programName), 'check', ...process.argv.slice(3)];
    await run(join(folder, 'node'), args, { signal, timeout: checkMs });
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '', message } = error as Error & { stderr?: string };
    const words = (stderr.trim() || message).split('\n').filter((line) => line.trim() !== '');
    const said = words.find((line) => /^\w*Error\b/.test(line)) ?? words.at(-1) ?? 'it failed';
    throw new ProgramRefused(`it cannot run on this machine: ${said.trim().slice(0, 300)}`, { cause: error });
  }
}

async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names)
    if (!kept.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}
