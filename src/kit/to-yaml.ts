import { Document, isMap, isScalar, isSeq, YAMLMap, YAMLSeq, visit, type Node } from 'yaml';
import { hasHidden } from './visible.ts';

/**
 * YAML that readers of either version read alike: strings that one of them (python's, Go's) would take for something else
 * are quoted, lists not indented. Keys named in `flow` get their lists in one line, quoted; those in `inline` plain.
 * Maps keep their order.
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

/** Built by hand: createNode would make `!!omap` of a Map, and put an object's number-like keys first. */
function toNode(document: Document, value: unknown): Node {
  if (Array.isArray(value)) {
    const seq = new YAMLSeq();
    for (const item of value) seq.items.push(toNode(document, item));
    return seq;
  }
  if (value === null || typeof value !== 'object') return toScalar(document, value);
  const map = new YAMLMap();
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    if (item !== undefined)
      map.items.push(document.createPair(toScalar(document, key), toNode(document, item)));
  }
  return map;
}

/** The document's version quotes what it would take for something else; the later one has numbers of its own. */
function toScalar(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  // Quoted, what a terminal would obey can be written out (visible.ts).
  const isOdd = typeof value === 'string' && (/^0o[0-7]+$/.test(value) || hasHidden(value));
  if (isOdd && isScalar(node)) node.type = 'QUOTE_DOUBLE';
  return node;
}
