import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readYamlValue } from '../kit/yaml/read.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';

/**
 * Reads the values of repeated `--config` flags, each a YAML file or `key=value`; later ones take precedence. Values of
 * `key=value` stay texts, to be parsed by the setting's type, so that `1.0` can be a text.
 */
export async function readKeyValues(
  context: CommandContext,
  configFlags: readonly string[],
): Promise<Record<string, unknown>> {
  const { files, values } = splitKeyValues(configFlags);
  let merged: Record<string, unknown> = {};
  for (const file of files) merged = { ...merged, ...(await readMapFile(context, file)) };
  return { ...merged, ...values };
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

/** Reads a YAML file that contains a map. `-` is stdin. Errors: plain Error that names the file. */
export async function readMapFile(context: CommandContext, file: string): Promise<Record<string, unknown>> {
  const value = readYamlValue(await readText(context, file));
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error(`${file}: expected a map of keys to values`);
  return value as Record<string, unknown>;
}

/** Reads a file's text; `-` is stdin. */
export async function readText(context: CommandContext, file: string): Promise<string> {
  if (file === '-') return context.io.stdin.readAll();
  try {
    return await readFile(resolve(context.io.cwd, file.replace(/^~(?=\/)/, context.io.home)), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'ENOENT' ? `no such file: ${file}` : `cannot read ${file}: ${(error as Error).message}`,
      { cause: error },
    );
  }
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
