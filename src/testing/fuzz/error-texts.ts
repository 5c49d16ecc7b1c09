/** Errors that callers get: their codes are those of the wire, and their texts are sentences for people. */
import { errorCodes } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';

/** Traces of a bug in a text. Nothing that the fuzzer sends has one of them, so it is the controller that wrote it. */
const traces: readonly RegExp[] = [
  /\bundefined\b/,
  /\bNaN\b/,
  /\[object /,
  /\n\s+at /,
  /\bnode:|node_modules|\.[mc]?[jt]s:\d/,
  /\bZod|"(?:expected|path)":/,
  /is not (?:a function|iterable|a constructor)|Cannot (?:read|set|convert|destructure) (?:propert|undefined|null)/,
  /circular structure/,
  /SQLITE_|\bE(?:NOENT|EXIST|ACCES|PERM|NOTDIR|ISDIR|BADF|INVAL|CONNREFUSED)\b/,
  /(?:Type|Range|Reference|Syntax|Assertion)Error/,
  /\bhash\b.*\$|scrypt\$|sha512\$/,
];

/**
 * Returns what is wrong with an error; undefined = nothing. `secrets`: texts that no error may have, such as folders.
 */
export function wrongWith(
  error: { readonly message: string; readonly code?: string | undefined },
  secrets: readonly string[] = [],
): string | undefined {
  const { message, code = '' } = error;
  if (message === '') return 'an error has no text';
  if (code !== '' && !(errorCodes as readonly string[]).includes(code))
    return `the error code "${code}" is unknown`;
  if (message === 'internal error') return 'an error is internal';
  if (message.length > limits.errorText.max) return `an error has ${message.length} characters`;
  const trace = traces.find((one) => one.test(message));
  if (trace) return `an error shows ${String(trace)}`;
  return secrets.some((one) => message.includes(one)) ? 'an error shows an internal path' : undefined;
}

/** Yields the errors of an answer, at any depth: each has a text and a code. */
export function* errorsIn(answer: unknown): Generator<{ readonly message: string; readonly code: string }> {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [name, value] of Object.entries(answer)) {
    const { message, code = '' } = (value ?? {}) as { message?: unknown; code?: unknown };
    if (name === 'error' && typeof message === 'string' && typeof code === 'string') yield { message, code };
    else yield* errorsIn(value);
  }
}
