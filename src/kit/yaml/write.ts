import { Document, isMap, isScalar, isSeq, YAMLMap, YAMLSeq, type Node } from 'yaml';
import { hasHidden } from '../visible.ts';

export interface YamlStyle {
  /** Keys whose lists are in one line, with their items in single quotes. */
  readonly flow?: readonly string[];
  /** Keys whose lists are in one line. */
  readonly inline?: readonly string[];
}

/**
 * YAML that readers of either version read alike: strings that a reader (python's, Go's) would take for something else
 * are quoted, lists not indented. Maps keep their order; keys that are undefined are left out.
 */
export function toYaml(value: unknown, style?: YamlStyle): string {
  if (value === null || value === undefined) return '';
  const document = newDocument();
  document.contents = toNode(document, value, style) as typeof document.contents;
  if (isMap(document.contents) && document.contents.items.length === 0) return '{}\n';
  return textOf(document);
}

/** As toYaml; an object that is there several times is written once, and as an alias elsewhere. */
export function toYamlWithAliases(value: Readonly<Record<string, unknown>>): string {
  const document = newDocument();
  document.contents = document.createNode(value) as never;
  return textOf(document);
}

/** The text of a document, as toYaml writes it. */
export function textOf(document: Document): string {
  return document.toString({
    lineWidth: 0,
    indentSeq: false,
    flowCollectionPadding: false,
    directives: false,
  });
}

/** The document's version quotes texts that it would take for something else. */
function newDocument(): Document {
  return new Document(null, { version: '1.1' });
}

/** Built by hand: createNode would make `!!omap` of a Map, and put an object's number-like keys first. */
export function toNode(document: Document, value: unknown, style: YamlStyle = {}): Node {
  if (Array.isArray(value)) {
    const seq = new YAMLSeq();
    for (const item of value) seq.items.push(toNode(document, item, style));
    return seq;
  }
  if (value === null || typeof value !== 'object') return toScalar(document, value);
  const map = new YAMLMap();
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    if (item === undefined) continue;
    const node = toNode(document, item, style);
    if (isSeq(node)) layOut(node, String(key), style);
    map.items.push(document.createPair(toScalar(document, key), node));
  }
  return map;
}

function layOut(list: YAMLSeq, key: string, { flow = [], inline = [] }: YamlStyle): void {
  if (flow.includes(key) || inline.includes(key)) list.flow = true;
  if (flow.includes(key)) for (const item of list.items) if (isScalar(item)) item.type = 'QUOTE_SINGLE';
}

/** YAML 1.2 has numbers of its own, which the version 1.1 of the document does not quote. */
function toScalar(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  // In quotes, characters that a terminal would obey can be written out (visible.ts).
  const isOdd = typeof value === 'string' && (/^0o[0-7]+$/.test(value) || hasHidden(value));
  if (isOdd && isScalar(node)) node.type = 'QUOTE_DOUBLE';
  return node;
}
