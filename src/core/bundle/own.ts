/** The record's own value of the key, never an inherited one: `constructor` is a valid name for an application. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
