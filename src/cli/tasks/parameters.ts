import { readYamlValue } from '../../kit/yaml/read.ts';
import { UsageError } from '../errors.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** Reads `key.key=value` into the parameters of an action, over those that are given. Errors: UsageError. */
export function readParameters(
  given: Parameters,
  assignments: readonly string[],
  { asText }: { readonly asText: boolean },
): Parameters {
  return assignments.reduce((parameters, word) => {
    const equals = word.indexOf('=');
    if (equals < 0)
      throw new UsageError(`argument ${JSON.stringify(word)} must be of the form key.key.key...=value`);
    const path = word.slice(0, equals).split('.');
    for (const key of path) {
      if (!/^[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?$/.test(key))
        throw new UsageError(
          `key ${JSON.stringify(key)} must start and end with a letter or digit, and contain only letters, digits, hyphens and underscores`,
        );
    }
    const text = word.slice(equals + 1);
    return withValue(parameters, path, asText ? text : (readYamlValue(text, { dialect: 'juju' }) ?? null));
  }, given);
}

function withValue(map: Parameters, [key = '', ...rest]: readonly string[], value: unknown): Parameters {
  if (rest.length === 0) return { ...map, [key]: value };
  const inner = Object.hasOwn(map, key) ? map[key] : undefined;
  const isMap = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  return { ...map, [key]: withValue(isMap ? (inner as Parameters) : {}, rest, value) };
}
