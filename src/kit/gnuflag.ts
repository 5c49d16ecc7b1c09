/**
 * Command lines as Juju reads them, with Go's gnuflag: long and short flags, `-n3`, `--x=v`, several one-letter flags
 * in one word, flags between arguments, `--bool=false`, `--`. The CLI and the hook tools read their command lines here.
 */
import { parseBool } from '../core/parse-bool.ts';
import { defined } from '../core/defined.ts';

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** A flag that the command does not have. */
export class UnknownFlag extends UsageError {
  /** The flag with its dashes. */
  readonly shown: string;
  /** The flags that the command has, with their dashes. */
  readonly known: readonly string[];
  constructor(shown: string, known: readonly string[]) {
    super(`option provided but not defined: ${shown}`);
    this.shown = shown;
    this.known = known;
  }
}

export interface Flag<V> {
  /** Names of the flag, without dashes. */
  readonly names: readonly string[];
  readonly default: V;
  /** False: the flag stands alone (`--force`). */
  readonly takesValue: boolean;
  /** Throws an Error that says what is wrong with the value. */
  parse(text: string, previous: V): V;
}

type FlagSet = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends FlagSet> = {
  readonly [K in keyof F]: F[K] extends Flag<infer V> ? V : never;
};

interface Parsed {
  /** True where `-h` or `--help` is met that no flag defines; what follows is not read. */
  readonly help: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  /** The keys of the flags that were given. */
  readonly given: ReadonlySet<string>;
}

/** Reads the arguments of one command. Errors: UsageError in gnuflag's words. */
export function parseFlags(
  flags: FlagSet,
  argv: readonly string[],
  options: { interspersed: boolean },
): Parsed {
  const byName = new Map(
    Object.entries(flags).flatMap(([key, { names }]) => names.map((name) => [name, key])),
  );
  const values = Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, flag.default]));
  const setFlags = new Set<string>();
  const args: string[] = [];
  const remaining = [...argv];
  for (let word = remaining.shift(); word !== undefined; word = remaining.shift()) {
    if (word === '--') {
      args.push(...remaining);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      if (options.interspersed) continue;
      args.push(...remaining);
      break;
    }
    const { shown, name, inline, more } = split(word);
    const key = byName.get(name);
    if (key === undefined) {
      if (name === 'help' || name === 'h') return { help: true, values, args, given: setFlags };
      throw new UnknownFlag(shown, [...byName.keys()].map(withDashes));
    }
    const flag = flags[key]!;
    const text = inline ?? (flag.takesValue ? (more ?? remaining.shift()) : 'true');
    if (text === undefined) throw new UsageError(`option needs an argument: ${shown}`);
    values[key] = parseValue(flag, text, values[key], shown);
    setFlags.add(key);
    if (more !== undefined && !flag.takesValue) remaining.unshift(`-${more}`);
  }
  return { help: false, values, args, given: setFlags };
}

/** A flag's name as users write it: `-n`, `--num-units`. */
export function withDashes(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

interface Split {
  /** The flag with its dashes, as messages name it. */
  readonly shown: string;
  readonly name: string;
  /** The text after `=`. */
  readonly inline?: string;
  /** The text after a one-letter flag in the same word: its value, or more letters. */
  readonly more?: string;
}

function split(word: string): Split {
  if (!word.startsWith('--')) {
    const [name, rest] = [word[1]!, word.slice(2)];
    const tail = rest.startsWith('=') ? { inline: rest.slice(1) } : rest === '' ? {} : { more: rest };
    return { shown: `-${name}`, name, ...tail };
  }
  const equals = word.indexOf('=');
  const name = word.slice(2, equals < 0 ? undefined : equals);
  return {
    shown: `--${name}`,
    name,
    ...defined({ inline: equals < 0 ? undefined : word.slice(equals + 1) }),
  };
}

function parseValue(flag: Flag<unknown>, text: string, previous: unknown, shown: string): unknown {
  try {
    return flag.parse(text, previous);
  } catch (error) {
    throw new UsageError(
      `invalid value ${JSON.stringify(text)} for option ${shown}: ${(error as Error).message}`,
    );
  }
}

/** The parse of a flag that stands alone; `words` say what is wrong with a value that is no boolean. */
export function boolean(words: string): (text: string) => boolean {
  return (text) => {
    const value = parseBool(text);
    if (value === undefined) throw new Error(words);
    return value;
  };
}
