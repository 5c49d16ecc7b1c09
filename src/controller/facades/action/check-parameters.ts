import type { ActionSpec } from '../../../core/charm/metadata.ts';
import { JujuError } from '../../../core/errors.ts';

/**
 * The parameters with the action's defaults. Checks what its schema says of the top level: required ones, types,
 * unknown ones where those are refused. Errors: `not valid`.
 */
export function checkParameters(
  action: ActionSpec,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties, required, additionalProperties } = action.params as {
    properties?: Record<string, { type?: unknown; default?: unknown }>;
    required?: readonly string[];
    additionalProperties?: unknown;
  };
  const parameters: Record<string, unknown> = { ...given };
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (parameters[name] === undefined && property?.default !== undefined)
      parameters[name] = property.default;
    const value = parameters[name];
    if (value !== undefined && !isOfType(property?.type, value))
      throw new JujuError(
        'not valid',
        `validation failed: (root).${name} : must be of type ${String(property?.type)}, given ${JSON.stringify(value)}`,
      );
  }
  for (const name of required ?? [])
    if (parameters[name] === undefined)
      throw new JujuError(
        'not valid',
        `validation failed: (root) : "${name}" property is missing and required, given ${JSON.stringify(given)}`,
      );
  if (additionalProperties === false)
    for (const name of Object.keys(given))
      if (!Object.hasOwn(properties ?? {}, name))
        throw new JujuError(
          'not valid',
          `validation failed: (root) : additional property "${name}" is not allowed, given ${JSON.stringify(given)}`,
        );
  return parameters;
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return true;
  }
}
