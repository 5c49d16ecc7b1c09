/** Texts for errors of Node about files, which are written for programmers: `EISDIR: illegal operation on a…`. */

interface Failure {
  /** The system call with its paths: `open /x`. */
  readonly call: string;
  readonly why: string;
}

/**
 * The message of an error. An error about a file is told with the file and the reason, as Go's are: `open /x: is a
 * directory`.
 */
export function errorText(error: unknown): string {
  const failure = failureOf(error);
  if (failure) return `${failure.call}: ${failure.why}`;
  return error instanceof Error ? error.message : String(error);
}

/** The message for a file that could not be read. */
export function unreadable(file: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `no such file: ${file}`;
  return `cannot read ${file}: ${failureOf(error)?.why ?? errorText(error)}`;
}

/**
 * The failure that an error about a file tells; undefined for other errors. Errors of sockets have an address after the
 * name of the call.
 */
function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const why = /^[A-Z]\w*: (.+?), \w+(?: '|$)/.exec(error.message)?.[1];
  if (code === undefined || syscall === undefined || why === undefined) return undefined;
  const call = [syscall, path, dest].filter((part) => part !== undefined).join(' ');
  return { call, why: code === 'EISDIR' ? 'is a directory' : why };
}
