import { compareNames } from '../../core/names.ts';
import { Document, isMap, isScalar, isSeq, visit } from 'yaml';

/**
 * YAML as Juju writes it: lists not indented, strings that a YAML 1.1 reader (python, Go) would take for something
 * else quoted. Keys named in `flow` get their lists in one line.
 */
export function toYaml(value: unknown, options: { flow?: readonly string[] } = {}): string {
  if (value === null || value === undefined) return '';
  const document = new Document(withoutUndefined(value), { version: '1.1', aliasDuplicateObjects: false });
  if (options.flow) {
    visit(document, {
      Pair(_, pair) {
        if (isScalar(pair.key) && options.flow!.includes(String(pair.key.value)) && isSeq(pair.value)) {
          pair.value.flow = true;
          for (const item of pair.value.items) if (isScalar(item)) item.type = 'QUOTE_SINGLE';
        }
      },
    });
  }
  if (isMap(document.contents) && document.contents.items.length === 0) return '{}\n';
  return document.toString({
    lineWidth: 0,
    indentSeq: false,
    flowCollectionPadding: false,
    directives: false,
  });
}

/** Map keys in Juju's order: numbers inside names count as numbers. */
export function sorted<V>(record: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(record).sort(([a], [b]) => compareNames(a, b));
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value === null || typeof value !== 'object') return value;
  // A Map keeps the order of keys that look like numbers.
  return new Map(
    Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => [k, withoutUndefined(v)]),
  );
}
