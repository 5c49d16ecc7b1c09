import { execFile } from 'node:child_process';

/** Failure of a host program, with its name, exit status and output. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly stderr: string;
  constructor(argv: readonly string[], stderr: string, cause: unknown) {
    super(`${argv.slice(0, 4).join(' ')}: ${stderr.trim() || (cause as Error).message}`, { cause });
    this.stderr = stderr;
  }
}

/** Runs a program without a shell and returns its stdout. Errors: CommandError. */
export function run(argv: readonly [string, ...string[]], input = ''): Promise<string> {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { env: hostEnv(), maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        if (error) reject(new CommandError(argv, stderr, error));
        else resolve(stdout);
      },
    );
    // EPIPE is ignored: a program that ends without reading its input is judged by its exit status.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Returns the environment of host programs: `ip` and `nft` are in sbin, which a plain user's PATH lacks. */
export function hostEnv(): Record<string, string> {
  return { PATH: `${process.env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C' };
}
