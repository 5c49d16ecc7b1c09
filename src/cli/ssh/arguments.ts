/** Command lines of ssh and scp, read as far as grigri has to know them. */
import { UsageError } from '../errors.ts';

/** Splits `ubuntu@mysql/0` into the user ('' for the default one) and the name. */
export function splitLogin(login: string): { readonly user: string; readonly name: string } {
  const at = login.lastIndexOf('@');
  return { user: login.slice(0, Math.max(at, 0)), name: login.slice(at + 1) };
}

export interface SshArguments {
  /** Options of the system's ssh. */
  readonly options: readonly string[];
  readonly command: readonly string[];
  /** User of `-l`, '' without it. */
  readonly user: string;
  /** Port of `-p`, 22 without it. */
  readonly port: number;
}

/** Options of ssh that take a value. */
const sshValues = 'BbcDEeFIiJLlmOopQRSWw';

/** Splits what follows the target into ssh's options and the command. Errors: UsageError for a port that is none. */
export function parseSshArguments(args: readonly string[]): SshArguments {
  const { options, rest, valueOf } = splitOptions(args, sshValues);
  const command = rest[0] === '--' ? rest.slice(1) : rest;
  return { options, command, user: valueOf('l') ?? '', port: parsePort(valueOf('p')) };
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return 22;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UsageError(`invalid port "${text}"`);
  return port;
}

function splitOptions(
  args: readonly string[],
  withValue: string,
): {
  readonly options: readonly string[];
  readonly rest: readonly string[];
  readonly valueOf: (letter: string) => string | undefined;
} {
  const values = new Map<string, string>();
  let at = 0;
  while (at < args.length && /^-[^-]/.test(args[at]!)) {
    const word = args[at]!;
    at += 1;
    for (let i = 1; i < word.length; i++) {
      if (!withValue.includes(word[i]!)) continue;
      const inline = word.slice(i + 1);
      values.set(word[i]!, inline || (args[at] ?? ''));
      if (inline === '') at += 1;
      break;
    }
  }
  return {
    options: args.slice(0, at),
    rest: args.slice(at),
    valueOf: (letter) => values.get(letter),
  };
}

export interface ScpArguments {
  readonly options: readonly string[];
  readonly recursive: boolean;
  readonly port: number;
  readonly sources: readonly Place[];
  readonly destination: Place;
}
/** File on this host (`target` is ''), or on a target. */
export interface Place {
  readonly user: string;
  readonly target: string;
  readonly path: string;
}

/** Options of scp that take a value. */
const scpValues = 'cDFiJloPSX';

/** Reads scp's arguments; options may follow files, and all after `--` are files. Errors: UsageError. */
export function parseScpArguments(args: readonly string[]): ScpArguments {
  const options: string[] = [];
  const files: string[] = [];
  let port: string | undefined;
  for (let rest = args; rest.length > 0;) {
    const [word = ''] = rest;
    if (word === '--') {
      files.push(...rest.slice(1));
      break;
    }
    const { options: some, rest: others, valueOf } = splitOptions(rest, scpValues);
    if (some.length === 0) {
      files.push(word);
      rest = rest.slice(1);
      continue;
    }
    port = valueOf('P') ?? port;
    options.push(...some);
    rest = others;
  }
  if (files.length < 2) throw new UsageError('at least two arguments required');
  const places = files.map(placeOf);
  return {
    options,
    recursive: options.some((option) => /^-[^P]*r/.test(option)),
    port: parsePort(port),
    sources: places.slice(0, -1),
    destination: places.at(-1)!,
  };
}

/**
 * Splits at a colon that no slash precedes, except that of a unit's name, into target and path: `mysql/0:/etc/hosts`.
 */
function placeOf(text: string): Place {
  const colon = text.indexOf(':');
  if (colon < 1 || /^[./]/.test(text)) return { user: '', target: '', path: text };
  const { user, name } = splitLogin(text.slice(0, colon));
  return { user, target: name, path: text.slice(colon + 1) };
}
