/** YAML files that people edit too: their comments, their order, and keys that we do not know stay as they are. */
import { readFile } from 'node:fs/promises';
import { isMap, parseDocument, YAMLMap, YAMLSeq, type Document, type Node } from 'yaml';
import { writePrivate } from './yaml-file.ts';

/**
 * The file as a document that can be changed; an empty one when there is none. Errors: plain Error that names the file.
 */
export async function readDocument(path: string): Promise<Document> {
  return parsed(await readIfThere(path), path, { version: '1.1' });
}

/** The file's text; '' when there is none. */
export function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

/** A text's content, maps as Maps. `texts`: every scalar is what stands there, `12:34` no number. Errors: plain Error. */
export function parseMaps(content: string, name: string, { texts = false } = {}): unknown {
  return parsed(content, name, texts ? { schema: 'failsafe' } : { version: '1.1' }).toJS({
    mapAsMap: true,
  }) as unknown;
}

function parsed(content: string, name: string, options: Parameters<typeof parseDocument>[1]): Document {
  const document = parseDocument(content, options);
  const [error] = document.errors;
  if (error) throw new Error(`cannot read ${name}: ${error.message}`, { cause: error });
  return document as Document;
}

/** Replaces the file whole; only its owner can read it. */
export async function writeDocument(path: string, document: Document): Promise<void> {
  await writePrivate(
    path,
    document.toString({ lineWidth: 0, indentSeq: false, directives: false, flowCollectionPadding: false }),
  );
}

/** Sets what is at the path; undefined removes it. Maps and objects keep their order, keys that are undefined are left out. */
export function setAt(document: Document, path: readonly [string, ...string[]], value: unknown): void {
  const last = path.at(-1)!;
  const root: unknown = document.contents;
  let map = isMap(root) && root.items.length > 0 ? root : undefined;
  if (!map) {
    if (value === undefined) return;
    document.contents = map = new YAMLMap() as never;
  }
  for (const key of path.slice(0, -1)) {
    const found: unknown = map!.get(key, true);
    // `clouds:` and `clouds: {}` are empty maps too; what is in them goes on lines of its own.
    const next: YAMLMap = isMap(found) && found.items.length > 0 ? found : new YAMLMap();
    if (next !== found) {
      if (value === undefined) return;
      map!.set(key, next);
    }
    map = next as never;
  }
  if (value === undefined) map!.delete(last);
  else map!.set(last, toNode(document, value));
}

/** Writes a comment below the map at the path. */
export function commentAt(document: Document, path: readonly string[], comment: string): void {
  const node: unknown = document.getIn(path, true);
  if (isMap(node)) node.comment = comment;
}

function toNode(document: Document, value: unknown): Node {
  if (Array.isArray(value)) {
    const seq = new YAMLSeq();
    for (const item of value) seq.items.push(toNode(document, item));
    return seq;
  }
  if (value === null || typeof value !== 'object') return document.createNode(value);
  const map = new YAMLMap();
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    if (item === undefined) continue;
    const node = toNode(document, item);
    if (key === 'auth-types' && node instanceof YAMLSeq) node.flow = true;
    map.items.push(document.createPair(key, node));
  }
  return map;
}
