/**
 * Flags as Juju's (gnuflag): long and short names, `-n3`, `--x=v`, flags between arguments, `--bool=false`, `--`.
 * Not commander: it has no `--bool=false`, reads `--no-prompt` as "not prompt", and loading it takes 16 ms, as
 * long as everything else that `version` may take.
 */
import { parseDuration } from '../core/duration.ts';
import { UsageError } from './errors.ts';

export interface Flag<V> {
  /** Without dashes, the one that messages use last: `['n', 'num-units']`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly default: V;
  /** What help shows as default. */
  readonly shownDefault: string;
  /** False: the flag stands alone (`--force`). */
  readonly takesValue: boolean;
  readonly completes?: Completion;
  /** Throws an Error that says what is wrong with the value. */
  parse(text: string, previous: V): V;
}
export type Completion =
  | 'application'
  | 'unit'
  | 'machine'
  | 'model'
  | 'controller'
  | 'cloud'
  | 'file'
  /** A requires endpoint of the charm that is the first argument. */
  | 'requires'
  | readonly string[];

export type FlagSet = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends FlagSet> = {
  readonly [K in keyof F]: F[K] extends Flag<infer V> ? V : never;
};

export interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  /** The flags that were given, by their key. */
  readonly given: ReadonlySet<string>;
}

/** Reads the arguments of one command. Errors: UsageError in gnuflag's words. */
export function parseFlags(
  flags: FlagSet,
  argv: readonly string[],
  options: { interspersed: boolean },
): Parsed {
  const byName = new Map<string, string>();
  for (const [key, flag] of Object.entries(flags)) for (const name of flag.names) byName.set(name, key);
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([k, f]) => [k, f.default]),
  );
  const given = new Set<string>();
  const args: string[] = [];
  const rest = [...argv];

  const set = (
    shown: string,
    name: string,
    value: () => string | undefined,
    inline: string | undefined,
  ): void => {
    const key = byName.get(name);
    const flag = key === undefined ? undefined : flags[key];
    if (key === undefined || !flag) throw new UsageError(`option provided but not defined: ${shown}`);
    const text = inline ?? (flag.takesValue ? value() : 'true');
    if (text === undefined) throw new UsageError(`option needs an argument: ${shown}`);
    try {
      values[key] = flag.parse(text, values[key]);
    } catch (error) {
      throw new UsageError(`invalid value "${text}" for option ${shown}: ${(error as Error).message}`);
    }
    given.add(key);
  };

  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === '--') {
      args.push(...rest);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      if (options.interspersed) continue;
      args.push(...rest);
      break;
    }
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const name = word.slice(2, equals < 0 ? undefined : equals);
      set(`--${name}`, name, () => rest.shift(), equals < 0 ? undefined : word.slice(equals + 1));
      continue;
    }
    for (let letters = word.slice(1); letters;) {
      const name = letters[0]!;
      letters = letters.slice(1);
      const key = byName.get(name);
      const takesValue = key !== undefined && flags[key]!.takesValue;
      const inline = takesValue && letters ? letters.replace(/^=/, '') : undefined;
      if (takesValue) letters = '';
      set(`-${name}`, name, () => rest.shift(), inline);
    }
  }
  return { values, args, given };
}

/** `'-n, --num-units'` → names */
function names(spec: string): string[] {
  return spec.split(',').map((name) => name.trim().replace(/^--?/, ''));
}

export function bool(spec: string, description: string): Flag<boolean> {
  return {
    names: names(spec),
    description,
    default: false,
    shownDefault: 'false',
    takesValue: false,
    parse: parseBool,
  };
}

export function text(
  spec: string,
  description: string,
  options: { default?: string; completes?: Completion } = {},
): Flag<string> {
  return {
    names: names(spec),
    description,
    default: options.default ?? '',
    shownDefault: options.default ?? '',
    takesValue: true,
    ...(options.completes ? { completes: options.completes } : {}),
    parse: (value) => value,
  };
}

export function int(spec: string, description: string, fallback = 0): Flag<number> {
  return {
    names: names(spec),
    description,
    default: fallback,
    shownDefault: String(fallback),
    takesValue: true,
    parse: (value) => {
      if (!/^[+-]?\d+$/.test(value)) throw new Error('expected a whole number');
      return Number(value);
    },
  };
}

/** May be given several times. */
export function list(
  spec: string,
  description: string,
  options: { completes?: Completion } = {},
): Flag<readonly string[]> {
  return {
    names: names(spec),
    description,
    default: [],
    shownDefault: '',
    takesValue: true,
    ...(options.completes ? { completes: options.completes } : {}),
    parse: (value, previous) => [...previous, value],
  };
}

/** Comma-separated, and may be given several times. */
export function commas(
  spec: string,
  description: string,
  options: { completes?: Completion } = {},
): Flag<readonly string[]> {
  return {
    ...list(spec, description, options),
    parse: (value, previous) => [...previous, ...value.split(',').filter(Boolean)],
  };
}

/** Go's duration; the value is milliseconds, undefined when not given. */
export function duration(spec: string, description: string, shownDefault = ''): Flag<number | undefined> {
  return {
    names: names(spec),
    description,
    default: undefined,
    shownDefault,
    takesValue: true,
    parse: (value) => {
      const ms = parseDuration(value);
      if (ms < 0) throw new Error(`invalid duration "${value}"`);
      return ms;
    },
  };
}

/** Go's ParseBool. */
function parseBool(value: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw new Error('expected true or false');
}
