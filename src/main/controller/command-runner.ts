/** Processes of users' commands, one for each (wire.md#commands). */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandRunner, UserCommand } from '../../controller/server/command-runner.ts';
import type { Log } from '../../kit/log.ts';

/** The input that a command's process reads from its standard input, as JSON. */
export interface CommandInput {
  readonly controller: {
    readonly name: string;
    readonly uuid: string;
    readonly caCert: string;
    /** Addresses as `host:port`, that of its own host first; registration tokens have them all. */
    readonly addresses: readonly string[];
  };
  readonly command: UserCommand;
}

interface CommandRunnerOptions {
  readonly controller: CommandInput['controller'];
  /** Folder for empty folders that the processes run in. */
  readonly folder: string;
  readonly log: () => Log;
}

/** Lower than the controller's own: commands of users hold up nobody. */
const priority = 5;
const heapMiB = 512;
/** Characters of a failed process' own words that are logged. */
const wordsMax = 2000;

export function createCommandRunner({ controller, folder, log }: CommandRunnerOptions): CommandRunner {
  return {
    async run(command, { signal, onOutput }) {
      signal.throwIfAborted();
      const emptyFolder = await mkdtemp(join(folder, 'command-'));
      try {
        const child = start(emptyFolder);
        const end = (): void => void child.kill('SIGKILL');
        signal.addEventListener('abort', end);
        try {
          return await follow(child, { input: { controller, command }, onOutput, log: log() });
        } finally {
          end();
          signal.removeEventListener('abort', end);
          signal.throwIfAborted();
        }
      } finally {
        await rm(emptyFolder, { recursive: true, force: true });
      }
    },
  };
}

/** Starts the process, which may read its own program and an empty folder, write nothing and start nothing. */
function start(folder: string): ChildProcess {
  const { program, readable } = findProgram();
  const child = spawn(
    process.execPath,
    [
      '--permission',
      ...[...readable, folder].map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${heapMiB}`,
      program,
    ],
    { cwd: folder, env: { JUJU_DATA: folder, LANG: 'C.UTF-8' }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  try {
    if (child.pid !== undefined) setPriority(child.pid, priority);
  } catch {
    // The process has ended already.
  }
  return child;
}

/** The bundle beside the controller's, or the source. */
function findProgram(): { readonly program: string; readonly readable: readonly string[] } {
  const bundle = join(import.meta.dirname, 'commands.mjs');
  if (existsSync(bundle)) return { program: bundle, readable: [bundle] };
  const program = join(import.meta.dirname, '../commands.ts');
  const source = dirname(dirname(program));
  return { program, readable: [source, join(source, '../node_modules'), join(source, '../package.json')] };
}

/** Hands the input to the process, and its output on, piece by piece; resolves with the exit code. */
async function follow(
  child: ChildProcess,
  { input, onOutput, log }: { input: CommandInput; onOutput: (text: string) => Promise<void>; log: Log },
): Promise<number> {
  const closed = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  closed.catch(() => undefined);
  let words = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (words.length < wordsMax) words += text.slice(0, wordsMax);
  });
  // A process that ended early has not read its input.
  child.stdin!.on('error', () => undefined);
  child.stdin!.end(JSON.stringify(input));
  for await (const text of child.stdout!.setEncoding('utf8') as AsyncIterable<string>) await onOutput(text);
  const [code, signal] = await closed;
  if (words !== '') log.warning('the process of a command had something to say', { words, code, signal });
  if (code === null) throw new Error(`the process of a command was ended by ${signal}`);
  return code;
}
