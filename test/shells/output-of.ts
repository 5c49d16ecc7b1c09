import { execFile } from 'node:child_process';

/**
 * Output of a program that must succeed. It runs beside this process, in which the controller answers. Errors: with
 * what it says when it fails.
 */
export function outputOf(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: 60_000 };
    execFile(program, args, options, (error, stdout, stderr) =>
      error ? reject(new Error(`${program}: ${error.message}\n${stderr}`)) : resolve(stdout),
    ).stdin?.end();
  });
}
