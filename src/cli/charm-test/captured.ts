/** Effects of commands whose output is kept in memory. */
import { spawn } from 'node:child_process';
import { visible } from '../../kit/visible.ts';
import type { CliIo, Output } from '../io.ts';
import type { Ran } from './local-stage.ts';

/** Runs a command with captured output. `run` gets the effects that capture it. */
export async function captured(
  signal: AbortSignal,
  run: (io: Pick<CliIo, 'stdout' | 'stderr' | 'stdin' | 'runOnTerminal' | 'signal'>) => Promise<number>,
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const addOut = (text: string): void => void (stdout += text);
  const addError = (text: string): void => void (stderr += text);
  const code = await run({
    signal,
    stdout: outputTo(addOut),
    stderr: outputTo(addError),
    stdin: {
      isTTY: false,
      readLine: () => Promise.resolve(undefined),
      readAll: () => Promise.resolve(''),
    },
    runOnTerminal: (argv) => runProgram(argv, { signal, addOut, addError }),
  });
  return { code, stdout, stderr };
}

function outputTo(add: (text: string) => void): Output {
  return { isTTY: false, isClosed: false, write: (text) => add(visible(text)), writeRaw: add };
}

/** Runs a program that would be given the terminal, such as ssh. Resolves with its exit code. */
function runProgram(
  [program = '', ...args]: readonly string[],
  {
    signal,
    addOut,
    addError,
  }: {
    readonly signal: AbortSignal;
    readonly addOut: (text: string) => void;
    readonly addError: (text: string) => void;
  },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
    child.stdout.setEncoding('utf8').on('data', addOut);
    child.stderr.setEncoding('utf8').on('data', addError);
    child.on('error', (error) =>
      reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })),
    );
    child.on('close', (code, killedBy) => resolve(code ?? (killedBy ? 128 : 1)));
  });
}
