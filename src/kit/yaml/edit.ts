/** YAML files that people edit too: their comments, their order, and keys that we do not know stay as they are. */
import {
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  YAMLMap,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import { readYamlValue } from './read.ts';
import { toNode, type YamlStyle } from './write.ts';

/** A text as a document that can be changed. Errors: as readYamlValue's. */
export function readDocument(text: string): Document {
  // The reader has looked for keys that are there twice, at less cost than the parser.
  readYamlValue(text, { dialect: 'juju' });
  return parseDocument(text, { version: '1.1', uniqueKeys: false }) as Document;
}

/** The line of the value at this path, or of the nearest value around it that exists. */
export function lineOf(text: string, path: readonly string[]): number {
  const lineCounter = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter, uniqueKeys: false, logLevel: 'silent' }).contents;
  let line = 1;
  for (const key of path) {
    const pair = isMap(node) ? node.items.find((one: Pair) => keyOf(one) === key) : undefined;
    const [start] = (pair?.key as Node | undefined)?.range ?? [];
    if (!pair || start === undefined) break;
    ({ line } = lineCounter.linePos(start));
    node = pair.value;
  }
  return line;
}

const keyOf = ({ key }: Pair): string => (isScalar(key) ? (key.source ?? String(key.value)) : '');

/**
 * Sets the value at the path; undefined removes it. Maps and objects keep their order, keys that are undefined are left
 * out.
 */
export function setAt(
  document: Document,
  path: readonly [string, ...string[]],
  value: unknown,
  style?: YamlStyle,
): void {
  const last = path.at(-1)!;
  const root: unknown = document.contents;
  let map = isMap(root) && root.items.length > 0 ? root : undefined;
  if (!map) {
    if (value === undefined) return;
    document.contents = map = new YAMLMap() as never;
  }
  for (const key of path.slice(0, -1)) {
    const found: unknown = map!.get(key, true);
    // `clouds:` and `clouds: {}` are empty maps too; new entries go on lines of their own.
    const next: YAMLMap = isMap(found) && found.items.length > 0 ? found : new YAMLMap();
    if (next !== found) {
      if (value === undefined) return;
      map!.set(key, next);
    }
    map = next as never;
  }
  if (value === undefined) map!.delete(last);
  else map!.set(last, toNode(document, value, style));
}

/** Writes a comment below the map at the path. */
export function commentAt(document: Document, path: readonly string[], comment: string): void {
  const node: unknown = document.getIn(path, true);
  if (isMap(node)) node.comment = comment;
}
