import { notValid } from '../../core/errors.ts';
import { parseModelConfig } from '../../core/model/config.ts';
import type { AttributeSchema, ProviderConfig } from '../contract/provider.ts';

/**
 * A provider's own settings in the types of its schema, defaults filled in: texts become numbers and truth values as
 * they do for models (parseModelConfig). Keys that the schema does not know are kept as they are. Against `previous`,
 * immutable ones must not change; one that is not given stays. What one setting means for another is the provider's to
 * check afterwards.
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
    // Its words quote what was given.
    if (schema[name]?.secret) throw notValid(`${name}: not a valid ${schema[name].type}`);
    throw error;
  }
}

/** Maps are the same whatever the order of their keys. */
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
