import { spawn } from 'node:child_process';
import { CommandError, hostEnv } from './run.ts';

const linesKept = 20;
const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

/**
 * Runs a host program that may take minutes. Each line of its stderr is passed on, it inherits the proxies of this
 * process' environment, and it ends with this process, even when that is killed. Errors: CommandError with the last
 * lines; the signal's reason, after the program has ended.
 */
export async function runLong(
  argv: readonly [string, ...string[]],
  { signal, onLine = () => undefined }: { signal: AbortSignal; onLine?: (line: string) => void },
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...argv], {
    env: { ...hostEnv(), ...given(proxies), DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const output: string[] = [];
  let unfinished = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split(/[\r\n]+/);
    unfinished = lines.pop() ?? '';
    for (const line of lines.filter(Boolean)) {
      output.push(line);
      if (output.length > linesKept) output.shift();
      onLine(line);
    }
  });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  signal.throwIfAborted();
  if (code !== 0) {
    if (unfinished) output.push(unfinished);
    throw new CommandError(argv, output.join('\n'), failure ?? new Error(`it ended with ${code}`));
  }
}

function given(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
