import { isMap, isScalar, parseDocument, type Scalar } from 'yaml';

import { JujuError } from '../core/errors.ts';

/**
 * The key-value pairs of a `--file`: a map in YAML or JSON whose values become text exactly as they are written
 * (`0644`, `1.50` and `True` stay so), null becoming ''. Errors: plain JujuError for anything else.
 */
export function parseSettings(text: string): Map<string, string> {
  const document = parseDocument(text, { schema: 'failsafe', logLevel: 'silent' });
  if (document.errors[0])
    throw new JujuError('', `cannot parse settings: ${document.errors[0].message.split('\n')[0]}`);
  const values = new Map<string, string>();
  if (document.contents === null) return values;
  if (isScalar(document.contents) && plainNull(document.contents)) return values;
  if (!isMap(document.contents))
    throw new JujuError('', 'cannot parse settings: expected a map of keys and values');
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (value !== null && !isScalar(value)) {
      throw new JujuError('', `cannot parse settings: the value of "${name}" is not text`);
    }
    values.set(name, isScalar(value) && !plainNull(value) ? String(value.value) : '');
  }
  return values;
}

function plainNull(scalar: Scalar): boolean {
  const { value } = scalar;
  if (value === null) return true;
  return (
    scalar.type === 'PLAIN' && typeof value === 'string' && ['', '~', 'null', 'Null', 'NULL'].includes(value)
  );
}
