import { UsageError } from '../kit/gnuflag.ts';
import type { HookContext } from './context.ts';

/** Flag of a tool; its name, even if a single letter, is its key in the tool's table. */
export type Flag =
  | { readonly kind: 'bool'; readonly short?: string; readonly help: string }
  | {
      readonly kind: 'string';
      readonly short?: string;
      readonly default?: string;
      /** Default that the hook provides for the flag, which --help prints (hook-tools.md#help). */
      readonly ofHook?: (context: HookContext) => string | undefined;
      readonly help: string;
    }
  /** Flag with a path, `-` for stdin; the tool gets the file's content, or undefined. */
  | { readonly kind: 'file'; readonly short?: string; readonly help: string };
export type Flags = Readonly<Record<string, Flag>>;

interface FlagTypes {
  readonly bool: boolean;
  readonly string: string;
  readonly file: string | undefined;
}
type FlagValues<F extends Flags> = { readonly [K in keyof F]: FlagTypes[F[K]['kind']] };

interface ToolCall<F extends Flags = Flags> {
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  readonly context: HookContext;
  /** Output format of the value; for shells some tools print less, or other names. */
  readonly format: Format;
  /** Reads a file of the caller. Errors: plain JujuError. */
  readonly readBytes: (path: string) => Promise<Buffer>;
  /** Aborted when the hook ends. */
  readonly signal: AbortSignal;
}

export type Format = 'smart' | 'json' | 'yaml';

/** Hook tool: a command as data and a function. */
export interface Tool<F extends Flags = Flags> {
  readonly name: string;
  /** Arguments in the usage line: `[<key>]`. */
  readonly args: string;
  readonly purpose: string;
  readonly flags: F;
  /** Default format of a tool that prints a value; such a tool has --format and --output. */
  readonly output?: Format;
  /** Formats of the value; default: all. */
  readonly formats?: readonly Format[];
  /** True for a tool that prints its text as it is, and has no --format. */
  readonly plain?: true;
  /**
   * Returns the value to print. Errors: UsageError (exit 2); JujuError (exit 1). Changes that a failing hook must not
   * make go into `context.changes`.
   */
  run(call: ToolCall<F>): unknown;
}

/** Checks a tool's flags against its `run`, and erases their types for the table of tools. */
export function defineTool<const F extends Flags>(tool: Tool<F>): Tool {
  return tool;
}

/** Checks the number of arguments. Errors: UsageError when there are more than `count`. */
export function atMost(args: readonly string[], count: number): void {
  if (args.length <= count) return;
  const extra = args.slice(count).map((arg) => JSON.stringify(arg));
  throw new UsageError(`unrecognized args: [${extra.join(' ')}]`);
}

/** Parses `key=value` arguments in order; the value may contain `=`. Errors: UsageError. */
export function keyValues(args: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const arg of args) {
    const separator = arg.indexOf('=');
    if (separator < 1) throw new UsageError(`expected "key=value", got ${JSON.stringify(arg)}`);
    values.set(arg.slice(0, separator), arg.slice(separator + 1));
  }
  return values;
}
