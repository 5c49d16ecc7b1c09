/** Process of the CLI. */
import { homedir } from 'node:os';
import { runCli } from '../cli/run.ts';
import type { CliIo, Input, Output } from '../cli/io.ts';
import { systemClock } from '../kit/clock.ts';
import { visible } from '../kit/visible.ts';
import { providerModules } from '../providers/external-modules.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => {
  interrupted.abort(new Error('interrupted'));
  // A second interrupt ends the process at once.
  process.once('SIGINT', () => process.exit(130));
});
// Termination is treated like the first ^C: a closed terminal or a shutdown must not leave a partial bootstrap.
for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.abort(new Error('interrupted')));
// The reader of a pipe may close it early (`grigri status | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const modules = providerModules(process.env, process.cwd());
// Absolute paths are needed by controllers that this process starts, whose working directory differs.
if (modules.length > 0) process.env['GRIGRI_PROVIDERS'] = modules.join(',');

// Standard streams take milliseconds to open, so each is accessed only when it is used.

const io: CliIo = {
  stdout: output('stdout'),
  stderr: output('stderr'),
  stdin: standardInput(),
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  isRoot: process.getuid?.() === 0,
  clock: systemClock,
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
  signal: interrupted.signal,
  connect: async (options) => (await import('../client/connect.ts')).connect(options),
  downloadCharm: async (download) => (await import('../client/http.ts')).downloadCharm(download),
  uploadImage: async (upload) => (await import('../client/http.ts')).uploadImage(upload),
  uploadCharm: async (upload) => (await import('../client/http.ts')).uploadCharm(upload),
  async providers() {
    const { loadProviders } = await import('../providers/external.ts');
    return loadProviders(modules);
  },
  runOnTerminal,
};

process.exitCode = await runCli(process.argv.slice(2), io);

async function runOnTerminal(argv: readonly string[]): Promise<number> {
  const { spawn } = await import('node:child_process');
  const [program, ...programArgs] = argv as [string, ...string[]];
  // The program on the terminal handles ^C.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArgs, { stdio: 'inherit' });
    child.on('error', (error) =>
      reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })),
    );
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 128 : 1)));
  });
}

function output(name: 'stdout' | 'stderr'): Output {
  return {
    get isTTY() {
      return process[name].isTTY ?? false;
    },
    write: (text) => void process[name].write(visible(text)),
    writeRaw: (text) => void process[name].write(text),
  };
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
    interrupted.signal.addEventListener('abort', () => resolve({ done: true, value: undefined })),
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
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    },
  };
}
