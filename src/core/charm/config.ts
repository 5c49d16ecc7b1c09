/** A charm's options and the values that users give them. */
import type { ConfigValue, ConfigOption } from './metadata.ts';
import { notValid } from '../errors.ts';
import { parseBool } from '../parse-bool.ts';
import { isMap, readMap, readText, show } from './raw.ts';

export type ConfigOptions = Readonly<Record<string, ConfigOption>>;

const types = ['string', 'int', 'float', 'boolean', 'secret'] as const;

/** Parses config.yaml. `raw` is the file as parsed (`options:` at its top), or nothing. Errors: `not valid`. */
export function parseConfig(raw: unknown): Record<string, ConfigOption> {
  if (raw === undefined || raw === null) return {};
  if (!isMap(raw)) throw notValid('invalid config: expected a map');
  const options: Record<string, ConfigOption> = {};
  for (const [name, value] of Object.entries(readMap(raw['options'], 'invalid config: options'))) {
    if (!isOptionName(name)) throw notValid(`invalid config: option name ${show(name)}`);
    options[name] = parseOption(name, value);
  }
  return options;
}

/** Juju takes any key of the map; those that no client could name are refused. */
function isOptionName(name: string): boolean {
  return /^[^\s=\p{Cc}]{1,256}$/u.test(name) && name !== '__proto__';
}

function parseOption(name: string, value: unknown): ConfigOption {
  const what = `invalid config: option ${show(name)}`;
  const raw = readMap(value, what);
  const typeName = raw['type'] || 'string';
  const type = types.find((known) => known === typeName);
  if (!type) throw notValid(`${what} has unknown type ${show(typeName)}`);
  const option: ConfigOption = { type, description: readText(raw['description'], what) };
  const stated = raw['default'];
  // Charm authors commonly write an empty default of a typed option to mean "none".
  if (stated === undefined || stated === null || (stated === '' && type !== 'string')) return option;
  // Charms write defaults of other types as texts, too: "False", "8080".
  const fallback = typeof stated === 'string' ? fromText(option, stated) : stated;
  if (!fits(option, fallback)) throw notValid(`invalid config default: ${mismatch(option, name, stated)}`);
  return { ...option, default: fallback };
}

/**
 * Converts a user's value, given as text or already typed (from YAML), to the option's type. Errors: `not valid`,
 * `option "x" expected int, got "y"`.
 */
export function parseConfigValue(option: ConfigOption, name: string, value: unknown): ConfigValue {
  const typed = typeof value === 'string' ? fromText(option, value) : value;
  if (!fits(option, typed)) throw notValid(mismatch(option, name, value));
  return typed;
}

/** The option called `name`. Errors: `not valid`, `unknown option "x"`. */
export function findOption(options: ConfigOptions, name: string): ConfigOption {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) throw notValid(`unknown option ${show(name)}`);
  return option;
}

/** Parses every value of `given` as its option's type. Errors: as findOption's and parseConfigValue's. */
export function parseConfigValues(
  options: ConfigOptions,
  given: Readonly<Record<string, unknown>>,
): Record<string, ConfigValue> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      parseConfigValue(findOption(options, name), name, value),
    ]),
  );
}

/**
 * The configuration that the charm sees: values that are set, else the defaults; options with neither are absent.
 * Values of options that the charm no longer has are left out.
 */
export function mergedConfig(
  options: ConfigOptions,
  values: Readonly<Record<string, ConfigValue>>,
): Record<string, ConfigValue> {
  const merged: Record<string, ConfigValue> = {};
  for (const [name, option] of Object.entries(options)) {
    const stored = Object.hasOwn(values, name) ? values[name] : undefined;
    const value = stored !== undefined && fits(option, stored) ? stored : option.default;
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/**
 * The given values that fit a charm: those of options that the charm has, where the value is, or can be read as, one of
 * the option's type. Other values are left out (refresh.md#kept-config).
 */
export function fittingValues(
  options: ConfigOptions,
  values: Readonly<Record<string, unknown>>,
): Record<string, ConfigValue> {
  const kept: Record<string, ConfigValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) continue;
    const typed = option.type !== 'string' && typeof value === 'string' ? fromText(option, value) : value;
    if (fits(option, typed)) kept[name] = typed;
  }
  return kept;
}

function fromText(option: ConfigOption, text: string): unknown {
  switch (option.type) {
    case 'string':
    case 'secret':
      return text;
    case 'int':
      return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
    case 'float':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return parseBool(text);
  }
}

function fits(option: ConfigOption, value: unknown): value is ConfigValue {
  switch (option.type) {
    case 'string':
      return typeof value === 'string';
    case 'secret':
      return (
        typeof value === 'string' && (value === '' || /^secret:(\/\/[0-9a-f-]{36}\/)?[0-9a-z]+$/.test(value))
      );
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
  }
}

function mismatch(option: ConfigOption, name: string, value: unknown): string {
  return `option ${show(name)} expected ${option.type}, got ${show(value)}`;
}
