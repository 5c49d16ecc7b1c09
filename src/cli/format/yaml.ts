import { compareNames } from '../../core/names.ts';
import { Document, isMap, isScalar, isSeq, YAMLMap, YAMLSeq, visit, type Node } from 'yaml';

/**
 * YAML as Juju writes it: lists not indented, strings that a YAML 1.1 reader (python, Go) would take for something
 * else quoted. Keys named in `flow` get their lists in one line, quoted; those in `inline` plain. Maps keep their order.
 */
export function toYaml(
  value: unknown,
  options: { flow?: readonly string[]; inline?: readonly string[] } = {},
): string {
  if (value === null || value === undefined) return '';
  const document = new Document(null, { version: '1.1' });
  document.contents = toNode(document, value) as typeof document.contents;
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
  if (options.inline) {
    visit(document, {
      Pair(_, pair) {
        if (isScalar(pair.key) && options.inline!.includes(String(pair.key.value)) && isSeq(pair.value))
          pair.value.flow = true;
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

/** Built by hand: createNode would make `!!omap` of a Map, and put an object's number-like keys first. */
function toNode(document: Document, value: unknown): Node {
  if (Array.isArray(value)) {
    const seq = new YAMLSeq();
    for (const item of value) seq.items.push(toNode(document, item));
    return seq;
  }
  if (value === null || typeof value !== 'object') return document.createNode(value);
  const map = new YAMLMap();
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    if (item !== undefined) map.items.push(document.createPair(key, toNode(document, item)));
  }
  return map;
}
