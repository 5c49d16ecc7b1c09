/** Values of a model's configuration: read, checked, merged (model-settings.md#model-config). */
import { parseBase } from '../base.ts';
import { parseBool } from '../parse-bool.ts';
import { isCidr } from '../cidr.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import { notValid, type JujuError } from '../errors.ts';
import {
  modelConfigSchema,
  type ConfigAttribute,
  type ConfigSchema,
  type ModelSettings,
} from './config-schema.ts';

export type ModelConfigValue = string | number | boolean | Readonly<Record<string, string>>;
export type ModelConfig = Readonly<Record<string, ModelConfigValue>>;

/** The defaults are computed once, as workers read a model's configuration often. */
const modelDefaults = defaultsOf(modelConfigSchema);

/**
 * Parses values that a user set, as text or already typed, to the schema's types. `provider` describes the cloud's own
 * keys. Keys unknown to both are kept unchanged and listed in `unknown`, as Juju keeps them and its CLI warns. Errors:
 * `not valid`.
 */
export function parseModelConfig(
  given: Readonly<Record<string, unknown>>,
  provider: ConfigSchema = {},
): { config: ModelConfig; unknown: string[] } {
  const config: Record<string, ModelConfigValue> = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const attribute = find(key, provider);
    if (!attribute) unknown.push(key);
    config[key] = attribute ? parseValue(key, attribute, value) : keepUnknown(key, value);
  }
  return { config, unknown };
}

/** Merged configurations by their documents, which do not change. */
const merged = new WeakMap<object, ModelConfig & ModelSettings>();

/** The configuration in force: the model's own values over the schema's defaults. Errors: `not valid`. */
export function mergedModelConfig(
  own: Readonly<Record<string, unknown>>,
  provider?: ConfigSchema,
): ModelConfig & ModelSettings {
  const known = provider ? undefined : merged.get(own);
  if (known) return known;
  const { config } = parseModelConfig(own, provider);
  // Parsing has given each key the type that its schema states.
  const all = { ...modelDefaults, ...defaultsOf(provider ?? {}), ...config } as ModelConfig & ModelSettings;
  if (!provider && Object.isFrozen(own)) merged.set(own, Object.freeze(all));
  return all;
}

/**
 * Refuses a forbidden change from one merged configuration to another: of an immutable key, or to an invalid
 * combination. Errors: `not valid`.
 */
export function checkModelConfigChange(
  before: ModelConfig,
  after: ModelConfig,
  provider: ConfigSchema = {},
): void {
  for (const [key, { immutable }] of Object.entries({ ...modelConfigSchema, ...provider }))
    if (immutable && before[key] !== undefined && before[key] !== after[key])
      throw notValid(`cannot change ${key} from ${show(before[key])} to ${show(after[key] ?? '')}`);
  const isSet = (prefix: string): boolean =>
    ['http-proxy', 'https-proxy', 'ftp-proxy'].some((key) => after[prefix + key]);
  if (isSet('') && isSet('juju-'))
    throw notValid('cannot specify both legacy proxy values and juju proxy values');
}

function defaultsOf(schema: ConfigSchema): ModelConfig {
  const defaults = Object.entries(schema).flatMap(([key, attribute]) =>
    attribute.default === undefined ? [] : [[key, parseValue(key, attribute, attribute.default)] as const],
  );
  return Object.fromEntries(defaults);
}

function find(key: string, provider: ConfigSchema): ConfigAttribute | undefined {
  if (Object.hasOwn(provider, key)) return provider[key];
  return Object.hasOwn(modelConfigSchema, key) ? modelConfigSchema[key] : undefined;
}

function parseValue(key: string, attribute: ConfigAttribute, value: unknown): ModelConfigValue {
  const expected = (what: string): JujuError => notValid(`${key}: expected ${what}, got ${show(value)}`);
  switch (attribute.type) {
    case 'bool': {
      const parsed = typeof value === 'string' ? parseBool(value) : value;
      if (typeof parsed !== 'boolean') throw expected('bool');
      return parsed;
    }
    case 'int': {
      const parsed = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      if (typeof parsed !== 'number' || !Number.isSafeInteger(parsed)) throw expected('int');
      checkBounds(key, parsed, String(parsed), attribute);
      return parsed;
    }
    case 'map':
      return parseMap(key, value);
    default: {
      const isList = attribute.type === 'list' && Array.isArray(value);
      const text = isList && value.every((item) => typeof item === 'string') ? value.join(',') : value;
      if (typeof text !== 'string') throw expected('string');
      checkText(key, attribute, text);
      return text;
    }
  }
}

/** Items of a setting that is a list: separated by commas, with or without brackets. */
export function listItems(text: string): string[] {
  return (/^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function checkText(key: string, attribute: ConfigAttribute, value: string): void {
  const items = listItems(value);
  if (attribute.values) {
    const chosen = attribute.type === 'list' ? items : [value];
    const unknown = chosen.find((item) => !attribute.values!.includes(item));
    if (unknown !== undefined)
      throw notValid(
        `${key}: expected one of [${attribute.values.filter((item) => item !== '').join(' ')}], got ${show(unknown)}`,
      );
  }
  switch (attribute.type) {
    case 'duration':
      checkBounds(key, durationOf(key, value), value, attribute);
      return;
    case 'size':
      if (!/^\d+(\.\d+)?[MGTPEZY]?$/.test(value))
        throw notValid(`${key}: expected a size, got ${show(value)}`);
      return;
    case 'base':
      if (value !== '') parseBase(value);
      return;
    case 'cidrs': {
      const wrong = items.find((item) => !isCidr(item));
      if (wrong !== undefined) throw notValid(`${key}: invalid CIDR address: ${wrong}`);
      return;
    }
    case 'logging':
      return checkLogging(key, value);
    case 'bool':
    case 'int':
    case 'list':
    case 'map':
    case 'string':
  }
}

function durationOf(key: string, value: string): number {
  try {
    return parseDuration(value);
  } catch (cause) {
    throw notValid(`${key}: invalid duration ${show(value)}`, cause);
  }
}

function checkBounds(key: string, value: number, shown: string, { min, max, type }: ConfigAttribute): void {
  const limit = (bound: number): string => (type === 'duration' ? formatDuration(bound) : String(bound));
  if (min !== undefined && value < min) throw notValid(`${key}: ${shown} cannot be less than ${limit(min)}`);
  if (max !== undefined && value > max)
    throw notValid(`${key}: ${shown} cannot be greater than ${limit(max)}`);
}

/** Checks `<root>=INFO;unit=DEBUG`; spaces and commas separate too. */
function checkLogging(key: string, value: string): void {
  for (const part of value.split(/[;,\s]+/).filter((item) => item !== ''))
    if (!/^[^=]+=(UNSPECIFIED|TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL)$/i.test(part))
      throw notValid(`${key}: expected <module>=<level>, got ${show(part)}`);
}

function parseMap(key: string, value: unknown): Readonly<Record<string, string>> {
  const entries =
    typeof value === 'string'
      ? value
          .split(/\s+/)
          .filter((pair) => pair !== '')
          .map((pair): [string, unknown] => {
            const equals = pair.indexOf('=');
            if (equals < 1) throw notValid(`${key}: expected "key=value", got ${show(pair)}`);
            return [pair.slice(0, equals), pair.slice(equals + 1)];
          })
      : typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : undefined;
  if (!entries) throw notValid(`${key}: expected a map, got ${show(value)}`);
  for (const [name, item] of entries) {
    if (typeof item !== 'string') throw notValid(`${key}: ${name}: expected string, got ${show(item)}`);
    if (key === 'resource-tags' && name.startsWith('juju-'))
      throw notValid(`${key}: tag "${name}" uses reserved prefix "juju-"`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function keepUnknown(key: string, value: unknown): ModelConfigValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw notValid(`${key}: expected string, got ${show(value)}`);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
