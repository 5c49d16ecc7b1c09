import { isMap, type JsonMap } from './values.ts';
import type { SchemaWork } from './work.ts';

/**
 * The value with the schema's defaults for properties that it does not have, also inside of maps; a map that is not
 * there is made when something in it has a default. Items of lists get none. Errors: JujuError `quota limit exceeded`.
 */
export function insertDefaults(schema: JsonMap, value: JsonMap, work: SchemaWork): JsonMap {
  const { properties } = schema;
  if (!isMap(properties)) return value;
  // A Map, since an assignment to the member __proto__ would replace the object's prototype.
  const full = new Map(Object.entries(value));
  for (const [name, property] of Object.entries(properties)) {
    work.spend(1);
    if (!isMap(property)) continue;
    const { default: initial } = property;
    const existing = full.get(name);
    if (existing === undefined && initial !== undefined) full.set(name, initial);
    else if (existing === undefined || isMap(existing)) {
      const inner = insertDefaults(property, existing ?? {}, work);
      if (existing !== undefined || Object.keys(inner).length > 0) full.set(name, inner);
    }
  }
  return Object.fromEntries(full);
}
