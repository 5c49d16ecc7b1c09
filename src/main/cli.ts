/** Process of the CLI. */
import { homedir } from 'node:os';
import { runCli } from '../cli/run.ts';
import type { CliIo, Input } from '../cli/io.ts';
import { calledName } from '../cli/program.ts';
import { limits } from '../core/limits.ts';
import { systemClock } from '../kit/clock.ts';
import { readToEnd } from '../kit/given-file.ts';
import { providerModules } from '../providers/external-modules.ts';
import { networkEffects } from './cli-network.ts';
import { interruptSignal, standardOutput } from './cli-process.ts';

const interrupted = interruptSignal();

const modules = providerModules(process.env, process.cwd());
// Absolute paths are needed by controllers that this process starts, whose working directory differs.
if (modules.length > 0) process.env['GRIGRI_PROVIDERS'] = modules.join(',');

const stdout = standardOutput(() => process.stdout);
const stderr = standardOutput(() => process.stderr);
const calledAs = process.env['GRIGRI_CALLED_AS'] ?? process.argv[1] ?? '';
// Programs that this process starts were not called so.
delete process.env['GRIGRI_CALLED_AS'];
const io: CliIo = {
  program: calledName(calledAs),
  stdout,
  stderr,
  stdin: standardInput(),
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  isRoot: process.getuid?.() === 0,
  clock: systemClock,
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
  signal: interrupted,
  ...networkEffects,
  async providers() {
    const { loadProviders } = await import('../providers/external.ts');
    return loadProviders(modules);
  },
  hostKeysAt,
  runOnTerminal,
};

process.exitCode = await runCli(process.argv.slice(2), io);
if (stdout.failure) {
  stderr.write(`ERROR cannot write the output: ${stdout.failure.message}\n`);
  process.exitCode ||= 1;
}

async function hostKeysAt({ address, port }: { address: string; port: number }): Promise<string[]> {
  const { execFile } = await import('node:child_process');
  const args = ['-T', '10', '-p', String(port), '--', address];
  const { stdout } = await new Promise<{ stdout: string }>((resolve) =>
    // The exit code of ssh-keyscan says nothing that its output does not.
    execFile('ssh-keyscan', args, { timeout: 20_000, signal: interrupted }, (_error, text) =>
      resolve({ stdout: text }),
    ),
  );
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^\S+ /, ''));
}

async function runOnTerminal(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { spawn } = await import('node:child_process');
  const [program, ...programArgs] = argv as [string, ...string[]];
  // The program on the terminal handles ^C.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArgs, { stdio: 'inherit', env: { ...process.env, ...env } });
    child.on('error', (error) =>
      reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })),
    );
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 128 : 1)));
  });
}

/** Turns the terminal's echo on or off. */
async function showInput(shown: boolean): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  spawnSync('stty', [shown ? 'echo' : '-echo'], { stdio: ['inherit', 'ignore', 'ignore'] });
}

function standardInput(): Input {
  let lines: AsyncIterator<string> | undefined;
  // An interrupt ends the input, since no answer is awaited any more.
  const endOfInput = new Promise<IteratorReturnResult<undefined>>((resolve) =>
    interrupted.addEventListener('abort', () => resolve({ done: true, value: undefined })),
  );
  return {
    get isTTY() {
      return process.stdin.isTTY ?? false;
    },
    async readLine({ hidden = false } = {}) {
      if (!lines) {
        const { createInterface } = await import('node:readline');
        lines = createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
      }
      // The previous answer may have left the stream paused and unreferenced.
      process.stdin.ref?.();
      process.stdin.resume();
      const isHidden = hidden && process.stdin.isTTY;
      if (isHidden) await showInput(false);
      const line = await Promise.race([lines.next(), endOfInput]).finally(() => isHidden && showInput(true));
      process.stdin.pause();
      process.stdin.unref?.();
      return line.done ? undefined : line.value;
    },
    async readAll() {
      const { max: maxBytes } = limits.givenText;
      const all = await readToEnd(process.stdin, 'standard input', { maxBytes, signal: interrupted });
      return all.toString();
    },
  };
}
