import { limits, type Limit } from '../core/limits.ts';
import { isOfEachModel } from '../core/model/inherited.ts';
import { readGiven } from '../kit/given-file.ts';
import { readYamlValue } from '../kit/yaml/read.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { bool, text } from './flags.ts';

/** Flags of commands that read settings from a YAML file. */
export const settingsFileFlags = {
  file: text('--file', 'Path to yaml-formatted configuration file', { completes: 'file' }),
  ignoreReadOnly: bool(
    '--ignore-read-only-fields',
    'Ignore read only fields that might cause errors to be emitted while processing yaml documents',
  ),
};

/**
 * Reads the values of repeated `--config` flags, each a YAML file or `key=value`; later ones take precedence. Values of
 * `key=value` stay texts, to be parsed by the setting's type, so that `1.0` can be a text.
 */
export async function readKeyValues(
  context: CommandContext,
  configFlags: readonly string[],
): Promise<Record<string, unknown>> {
  return mergeValues(context, splitKeyValues(configFlags));
}

/** Merges the values of YAML files, later ones over earlier ones, with the values of `key=value` over them. */
export async function mergeValues(
  context: CommandContext,
  { files, values }: { readonly files: readonly string[]; readonly values: Readonly<Record<string, string>> },
): Promise<Record<string, unknown>> {
  let merged: Record<string, unknown> = {};
  for (const file of files) merged = { ...merged, ...withoutSources(await readMapFile(context, file)) };
  return { ...merged, ...values };
}

/** Returns the settings without those whose value is each model's own. */
export function withoutReadOnly(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !isOfEachModel(key)));
}

/** Returns the values of a file that `model-config --format yaml` (or json) wrote, with a source for each. */
function withoutSources(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map).map(([key, entry]) => {
      if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [key, entry];
      const members = Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value] as const);
      const isSetting =
        members.length === 2 && members.every(([name]) => name === 'value' || name === 'source');
      return [key, isSetting ? new Map<string, unknown>(members).get('value') : entry];
    }),
  );
}

/** Separates `key=value` from file names. */
export function splitKeyValues(items: readonly string[]): {
  files: string[];
  values: Record<string, string>;
} {
  const files: string[] = [];
  const values: Record<string, string> = {};
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals < 0) files.push(item);
    else if (equals === 0) throw new UsageError(`expected "key=value", got "${item}"`);
    else values[item.slice(0, equals)] = item.slice(equals + 1);
  }
  return { files, values };
}

/**
 * Separates what the arguments of a config command set (`key=value`, YAML files) from the keys that they ask for.
 * `file`: the file of `--file`. Errors: UsageError for both at once, and for more keys than one.
 */
export function splitSettings(
  args: readonly string[],
  { file, resets = [] }: { readonly file: string; readonly resets?: readonly string[] },
): {
  readonly key: string | undefined;
  readonly files: readonly string[];
  readonly values: Record<string, string>;
} {
  const { files: words, values } = splitKeyValues(args);
  const isFile = (word: string): boolean => /\.ya?ml$/.test(word) || word === '-';
  const files = [...words.filter(isFile), ...(file ? [file] : [])];
  const keys = words.filter((word) => !files.includes(word));
  const isChanging = Object.keys(values).length + files.length + resets.length > 0;
  if (keys.length > 0 && isChanging) throw new UsageError('cannot set and retrieve values simultaneously');
  if (keys.length > 1) throw new UsageError('can only retrieve a single value, or all values');
  return { key: keys[0], files, values };
}

/** Reads a YAML file that contains a map. `-` is stdin. Errors that name the file. */
export async function readMapFile(context: CommandContext, file: string): Promise<Record<string, unknown>> {
  const value = yamlIn(file, await readText(context, file));
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error(`${file}: expected a map of keys to values`);
  return value as Record<string, unknown>;
}

/** Reads YAML. Errors name the file. */
function yamlIn(file: string, text: string): unknown {
  try {
    return readYamlValue(text);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads the text of a file or pipe; `-` is stdin. Errors: those of readGiven. */
export async function readText(
  { io }: CommandContext,
  file: string,
  limit: Limit = limits.givenText,
): Promise<string> {
  return file === '-' ? io.stdin.readAll() : (await readGiven(io, file, limit.max)).toString();
}

/** Parses text as a YAML scalar, so that `true` becomes a boolean and `5` a number. */
export function readScalar(value: string): unknown {
  try {
    const parsed = readYamlValue(value);
    return parsed !== null && typeof parsed === 'object' ? value : (parsed ?? '');
  } catch {
    return value;
  }
}
