import { UsageError, type Flag, type Flags } from './tool.ts';

export interface ParsedArguments {
  readonly help: boolean;
  readonly args: readonly string[];
  /** Every flag of the table: its value or its default; a file flag still holds its path. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/**
 * Arguments as Juju's tools read them (hook-tools.md#arguments): flags anywhere among the others, `--flag value`,
 * `--flag=value`, `-r value`, `-rvalue`, several one-letter switches in one, switches with Go's booleans, and `--`
 * before arguments that may begin with a dash. Errors: UsageError.
 */
export function parseArguments(given: readonly string[], table: Flags): ParsedArguments {
  const args: string[] = [];
  const flags: Record<string, string | boolean | undefined> = {};
  for (const [name, flag] of Object.entries(table)) {
    flags[name] = flag.kind === 'bool' ? false : flag.kind === 'string' ? (flag.default ?? '') : undefined;
  }
  const queue = [...given];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') {
      args.push(...queue);
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      args.push(arg);
      continue;
    }
    const { shown, name, flag, inline, more } = readFlag(arg, table);
    if (flag === 'help') return { help: true, args, flags };
    if (flag.kind === 'bool') {
      flags[name] = inline === undefined ? true : parseBool(inline, shown);
      if (more !== undefined) queue.unshift(`-${more}`);
      continue;
    }
    const value = inline ?? more ?? queue.shift();
    if (value === undefined) throw new UsageError(`option needs an argument: ${shown}`);
    flags[name] = value;
  }
  return { help: false, args, flags };
}

/** Go's strconv.ParseBool, with the words that Python prints. Errors: UsageError. */
export function parseBool(text: string, shown: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw new UsageError(`invalid value ${JSON.stringify(text)} for option ${shown}: invalid syntax`);
}

interface ReadFlag {
  readonly shown: string;
  readonly name: string;
  readonly flag: Flag | 'help';
  /** After `=`. */
  readonly inline?: string;
  /** What follows a one-letter flag in the same argument: its value, or more letters. */
  readonly more?: string;
}

function readFlag(arg: string, table: Flags): ReadFlag {
  const long = arg.startsWith('--');
  const body = arg.slice(long ? 2 : 1);
  const at = body.indexOf('=');
  const name = long ? (at < 0 ? body : body.slice(0, at)) : body.slice(0, 1);
  const shown = `${long ? '--' : '-'}${name}`;
  const rest = long ? '' : body.slice(1);
  const inline = long
    ? at < 0
      ? undefined
      : body.slice(at + 1)
    : rest.startsWith('=')
      ? rest.slice(1)
      : undefined;
  const tail = {
    ...(inline === undefined ? {} : { inline }),
    ...(inline === undefined && rest !== '' ? { more: rest } : {}),
  };
  const found = Object.entries(table).find(([key, flag]) => (long ? key === name : flag.short === name));
  if (found) return { shown, name: found[0], flag: found[1], ...tail };
  if ((long && name === 'help') || (!long && name === 'h')) return { shown, name, flag: 'help' };
  throw new UsageError(`option provided but not defined: ${shown}`);
}
