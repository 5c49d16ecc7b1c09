import { notValid } from '../../core/errors.ts';
import { parseModelConfig } from '../../core/model/config.ts';
import type { AttributeSchema, ProviderConfig } from '../contract/provider.ts';

/**
 * Returns a provider's settings in the types of its schema, with defaults: texts are converted to numbers and booleans
 * as for models (parseModelConfig). Keys unknown to the schema are kept as they are. Against `previous`, immutable
 * settings must not change, and absent ones keep their value. Checks across settings are left to the provider.
 *
 * Errors: JujuError `not valid`.
 */
export function validateConfig(
  schema: AttributeSchema,
  config: ProviderConfig,
  previous?: ProviderConfig,
): ProviderConfig {
  const full: Record<string, unknown> = { ...config };
  for (const [name, attribute] of Object.entries(schema)) {
    const before = attribute.immutable ? typed(schema, name, previous?.[name]) : undefined;
    const value = typed(schema, name, config[name]) ?? before ?? attribute.default;
    if (before !== undefined && !isSame(before, value))
      throw notValid(
        `cannot change ${name}${attribute.secret ? '' : ` from ${JSON.stringify(before)} to ${JSON.stringify(value)}`}`,
      );
    if (value === undefined) delete full[name];
    else full[name] = value;
  }
  return full;
}

function typed(schema: AttributeSchema, name: string, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  try {
    return parseModelConfig({ [name]: value }, schema).config[name];
  } catch (error) {
    // Parser errors quote the value, so that of a secret is replaced.
    if (schema[name]?.secret) throw notValid(`${name}: not a valid ${schema[name].type}`);
    throw error;
  }
}

/** Compares deeply; the order of keys does not matter. */
function isSame(a: unknown, b: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(
      value !== null && typeof value === 'object' ? Object.entries(value).toSorted(byKey) : value,
    );
  return text(a) === text(b);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
