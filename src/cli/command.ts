/** Command: data and a function, one file each in commands/. */
import { bool, text, type Completion, type Flag, type FlagSet, type FlagValues } from './flags.ts';
import type { CommandContext } from './context.ts';
import { defined } from '../core/defined.ts';

export interface Command {
  readonly name: string;
  /** Purpose of the command, in one line. */
  readonly summary: string;
  /** Words after the name and options in the usage line: `<application> [<key>=<value> ...]`. */
  readonly usage: string;
  readonly details?: string;
  /** Example command lines, without the program's name. */
  readonly examples: readonly string[];
  readonly seeAlso?: readonly string[];
  readonly flags: FlagSet;
  /** Whether flags may follow arguments. False for ssh, whose flags end at the first argument. */
  readonly interspersed: boolean;
  /** Kind of each argument, for completion; the last one repeats. */
  readonly completes?: readonly Completion[];
  /** Runs the command. Returns the exit code when it is not 0. */
  run(input: {
    context: CommandContext;
    flags: Readonly<Record<string, unknown>>;
    args: readonly string[];
    givenFlags: ReadonlySet<string>;
  }): Promise<number | void>;
}

interface CommandSpec<F extends FlagSet> {
  readonly name: string;
  readonly summary: string;
  readonly usage?: string;
  readonly details?: string;
  readonly examples?: readonly string[];
  readonly seeAlso?: readonly string[];
  readonly flags?: F;
  readonly interspersed?: boolean;
  readonly completes?: readonly Completion[];
  run(
    context: CommandContext,
    flags: FlagValues<F>,
    args: readonly string[],
    givenFlags: ReadonlySet<keyof F & string>,
  ): Promise<number | void>;
}

export function command<F extends FlagSet = Record<never, never>>(spec: CommandSpec<F>): Command {
  return {
    name: spec.name,
    summary: spec.summary,
    usage: spec.usage ?? '',
    examples: spec.examples ?? [],
    flags: spec.flags ?? {},
    interspersed: spec.interspersed ?? true,
    ...defined({ details: spec.details || undefined, seeAlso: spec.seeAlso, completes: spec.completes }),
    run: ({ context, flags, args, givenFlags }) =>
      spec.run(context, flags as FlagValues<F>, args, givenFlags as ReadonlySet<keyof F & string>),
  };
}

/** Flags of all commands. */
export const globalFlags = {
  help: bool('-h, --help', 'Show help on a command or other topic.'),
  debug: bool('--debug', 'Equivalent to --show-log --logging-config=<root>=DEBUG'),
  loggingConfig: text('--logging-config', 'Specify log levels for modules'),
  quiet: bool('-q, --quiet', 'Show no informational output'),
  showLog: bool('--show-log', 'If set, write the log file to stderr'),
  verbose: bool('-v, --verbose', 'Show more verbose output'),
};

/** Flag of commands that may log in. */
export const browserFlags = {
  noBrowserLogin: bool('-B, --no-browser-login', 'Do not use web browser for authentication'),
};

/** Flags of commands that work in a model. */
export const modelFlags = {
  ...browserFlags,
  model: text('-m, --model', 'Model to operate in. Accepts [<controller name>:]<model name>|<model UUID>', {
    completes: 'model',
  }),
};

/** Flags of commands that work with a controller. */
export const controllerFlags = {
  ...browserFlags,
  controller: text('-c, --controller', 'Controller to operate in', { completes: 'controller' }),
};

/** Flags of commands that colour what they print. */
export const colourFlags = {
  color: bool('--color', 'Use ANSI color codes in output'),
  noColor: bool('--no-color', 'Disable ANSI color codes in output'),
};

/** Flags `--format` and `-o`; the first format is the default. */
export function formatFlags(...formats: readonly [string, ...string[]]): {
  format: Flag<string>;
  output: Flag<string>;
} {
  const shown = [...formats].sort().join('|');
  return {
    format: {
      ...text('--format', `Specify output format (${shown})`, { default: formats[0], completes: formats }),
      parse: (value) => {
        if (!formats.includes(value)) throw new Error(`unknown format "${value}"`);
        return value;
      },
    },
    output: text('-o, --output', 'Specify an output file', { completes: 'file' }),
  };
}

/** Commands by name. The file of a command is loaded only when the command runs. */
export type Registry = Readonly<Record<string, Entry>>;

export interface Entry {
  readonly load: () => Promise<Command>;
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
}

/** Finds a command by name or alias. */
export function findIn(
  registry: Registry,
  name: string,
): { readonly name: string; readonly entry: Entry } | undefined {
  const direct = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (direct) return { name, entry: direct };
  for (const [commandName, entry] of Object.entries(registry))
    if (entry.aliases?.includes(name)) return { name: commandName, entry };
  return undefined;
}
