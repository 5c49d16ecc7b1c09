import { UnknownFlag, UsageError } from '../kit/gnuflag.ts';

export { UnknownFlag, UsageError };

/** Error for a user's "no" to a prompt, named with Juju's word. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
  constructor(action: string) {
    super(`${action}: aborted`);
  }
}

/** Error that ends the command with this code. The message was printed before. */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Refuses superfluous arguments, with Juju's wording. */
export function noMoreArgs(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unrecognized args: ${goStrings(args)}`);
}

/** Formats texts as Go prints a list of strings, `["a" "b"]`, which Juju's messages contain. */
function goStrings(values: readonly string[]): string {
  return `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;
}
