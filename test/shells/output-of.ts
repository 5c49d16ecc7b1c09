import { execFile } from 'node:child_process';

/**
 * Returns the output of a program that must succeed. The program runs beside this process, in which the controller
 * answers. Errors: with the program's stderr when it fails.
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
