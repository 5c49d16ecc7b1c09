import { UsageError } from '../kit/gnuflag.ts';

export { UsageError };

/** The user answered no. Juju's word for it. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
  constructor(what: string) {
    super(`${what}: aborted`);
  }
}

/** Ends the command with this code; what was to be said is said. */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Refuses arguments that nobody asked for, in Juju's words. */
export function noMoreArgs(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unrecognized args: ${goStrings(args)}`);
}

/** `["a" "b"]`: how Go prints a list of strings, which Juju's messages show. */
function goStrings(values: readonly string[]): string {
  return `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;
}
