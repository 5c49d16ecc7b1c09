import { JujuError } from '../core/errors.ts';
import { readYamlValue } from '../kit/yaml/read.ts';

/**
 * Parses the key-value pairs of a `--file`: a map in YAML or JSON whose values become text exactly as they are
 * written (`0644`, `1.50` and `True` stay so); null becomes ''. Errors: plain JujuError for anything else.
 */
export function parseSettings(text: string): Map<string, string> {
  const content = read(text) ?? {};
  if (typeof content !== 'object' || Array.isArray(content))
    throw new JujuError('', 'cannot parse settings: expected a map of keys and values');
  return new Map(
    Object.entries(content).map(([name, value]: [string, unknown]) => {
      if (value !== null && typeof value !== 'string')
        throw new JujuError('', `cannot parse settings: the value of "${name}" is not text`);
      return [name, value ?? ''];
    }),
  );
}

function read(text: string): unknown {
  try {
    return readYamlValue(text, { dialect: 'texts' });
  } catch (error) {
    throw new JujuError('', `cannot parse settings: ${(error as Error).message}`, { cause: error });
  }
}
