/** Readers for values of parsed YAML written by charm authors; errors name the value that does not fit. */
import { notValid } from '../errors.ts';
import { parseBool } from '../parse-bool.ts';

export type Raw = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A map; absent and null read as empty. */
export function readMap(value: unknown, path: string): Raw {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) throw notValid(`${path}: expected a map, got ${show(value)}`);
  return value;
}

/** A text; absent and null read as ''. Numbers are accepted as written, since `version: 2.9` is a number in YAML. */
export function readText(value: unknown, path: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw notValid(`${path}: expected string, got ${show(value)}`);
  return value;
}

/** A boolean, also as a text such as "true"; absent and null read as false. */
export function readFlag(value: unknown, path: string): boolean {
  if (value === undefined || value === null) return false;
  const flag = typeof value === 'string' ? parseBool(value) : value;
  if (typeof flag !== 'boolean') throw notValid(`${path}: expected bool, got ${show(value)}`);
  return flag;
}

/** A list of texts; absent and null read as empty. */
export function readTexts(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw notValid(`${path}: expected a list, got ${show(value)}`);
  return value.map((item, i) => readText(item, `${path}[${i}]`));
}

/** A value as an error message shows it: texts in quotes. */
export function show(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value);
}
