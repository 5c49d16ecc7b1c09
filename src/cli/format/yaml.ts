import { compareNames } from '../../core/names.ts';

export { toYaml } from '../../kit/yaml/write.ts';

/** Sorts map keys in Juju's order: numbers within names are compared as numbers. */
export function sorted<V>(record: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(record).sort(([a], [b]) => compareNames(a, b));
}
