import { compareNames } from '../../core/names.ts';

export { toYaml } from '../../kit/yaml/write.ts';

/** Map keys in Juju's order: numbers inside names count as numbers. */
export function sorted<V>(record: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(record).sort(([a], [b]) => compareNames(a, b));
}
