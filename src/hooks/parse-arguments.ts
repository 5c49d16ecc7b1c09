import { boolean, parseFlags, type Flag as GnuFlag } from '../kit/gnuflag.ts';
import type { Flag, Flags } from './tool.ts';

interface ParsedArguments {
  readonly help: boolean;
  readonly args: readonly string[];
  /** Value or default of every flag of the table; a file flag still holds its path. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** Arguments of a hook tool, parsed by the table of its flags (hook-tools.md#arguments). Errors: UsageError. */
export function parseArguments(argv: readonly string[], table: Flags): ParsedArguments {
  const flags = Object.entries(table).map(([name, flag]) => [name, toGnuFlag(name, flag)] as const);
  const { help, args, values } = parseFlags(Object.fromEntries(flags), argv, { interspersed: true });
  return { help, args, flags: values as ParsedArguments['flags'] };
}

function toGnuFlag(name: string, flag: Flag): GnuFlag<unknown> {
  const names = flag.short === undefined ? [name] : [flag.short, name];
  switch (flag.kind) {
    case 'bool':
      return { names, default: false, takesValue: false, parse: boolean('invalid syntax') };
    case 'string':
      return { names, default: flag.default ?? '', takesValue: true, parse: (text) => text };
    case 'file':
      return { names, default: undefined, takesValue: true, parse: (text) => text };
  }
}
