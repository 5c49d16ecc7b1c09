/** YAML files that people edit too: their comments, their order, and keys that we do not know stay as they are. */
import { readFile } from 'node:fs/promises';
import { isMap, parseDocument, YAMLMap, YAMLSeq, type Document, type Node } from 'yaml';
import { writePrivate } from './yaml-file.ts';

/** The file as a document that can be changed; an empty one when there is none. Errors: plain Error that names the file. */
export async function readDocument(path: string): Promise<Document> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const document = parseDocument(content, { version: '1.1' });
  const [error] = document.errors;
  if (error) throw new Error(`cannot read ${path}: ${error.message}`, { cause: error });
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
  let map = isMap(document.contents) ? document.contents : undefined;
  if (!map) document.contents = map = new YAMLMap() as never;
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
