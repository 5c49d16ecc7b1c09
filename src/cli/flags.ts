/** Flags of the CLI's commands: gnuflag's parsing, with the texts for help and completion. */
import { parseDuration } from '../core/duration.ts';
import { boolean, type Flag as GnuFlag } from '../kit/gnuflag.ts';
import { defined } from '../core/defined.ts';

export type { FlagValues } from '../kit/gnuflag.ts';

/** Flag with one or more names, of which messages use the last: `['n', 'num-units']`. */
export interface Flag<V> extends GnuFlag<V> {
  readonly description: string;
  /** Default value as help shows it. */
  readonly shownDefault: string;
  readonly completes?: Completion;
}
export type Completion =
  | 'application'
  | 'unit'
  | 'machine'
  | 'model'
  | 'controller'
  | 'cloud'
  | 'user'
  | 'file'
  /** Kind of a requires endpoint of the charm that is the first argument. */
  | 'requires'
  | readonly string[];

export type FlagSet = Readonly<Record<string, Flag<unknown>>>;

/** Parses a spec such as `'-n, --num-units'` into names. */
function names(spec: string): string[] {
  return spec.split(',').map((name) => name.trim().replace(/^--?/, ''));
}

export function bool(spec: string, description: string, fallback = false): Flag<boolean> {
  return {
    names: names(spec),
    description,
    default: fallback,
    shownDefault: String(fallback),
    takesValue: false,
    parse: boolean('expected true or false'),
  };
}

/** Flag without a value; undefined when it was not given, where that makes a difference. */
export function maybe(spec: string, description: string): Flag<boolean | undefined> {
  return {
    names: names(spec),
    description,
    default: undefined,
    shownDefault: '<auto>',
    takesValue: false,
    parse: boolean('expected true or false'),
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
    ...defined({ completes: options.completes }),
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

/** Flag that may be repeated. */
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
    ...defined({ completes: options.completes }),
    parse: (value, previous) => [...previous, value],
  };
}

/** Flag with comma-separated values that may be repeated. */
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

/** As duration, but the value may be negative. */
export function signedDuration(
  spec: string,
  description: string,
  shownDefault: string,
): Flag<number | undefined> {
  return { ...duration(spec, description, shownDefault), parse: (value) => parseDuration(value) };
}

/** Flag with a duration in Go's format. The value is in milliseconds, and undefined when the flag was not given. */
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
