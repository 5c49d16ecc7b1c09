import type { SchemaWork } from './work.ts';

export type JsonMap = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const;

export function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMap(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** A text that two values share when they are equal, whatever the order of their keys. */
export function canonical(value: unknown, work: SchemaWork): string {
  if (Array.isArray(value)) {
    work.spend(value.length + 1);
    return `[${value.map((item) => canonical(item, work)).join()}]`;
  }
  if (isMap(value)) {
    const keys = Object.keys(value).sort();
    work.spend(2 * keys.length + 1);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], work)}`).join()}}`;
  }
  work.spend(typeof value === 'string' ? value.length / 16 : 1);
  return JSON.stringify(value);
}
