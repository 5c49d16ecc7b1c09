import { isCollection, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';

/**
 * Every document of a YAML text that somebody else wrote, as plain values. Errors: plain Error with what is wrong, in one line:
 * no YAML, a key that is there twice, too many aliases, too deep.
 */
export function readYaml(text: string, { aliasesMax }: { readonly aliasesMax: number }): unknown[] {
  const lines = new LineCounter();
  try {
    if (isTooDeep(text)) throw new RangeError('too deep');
    // The parser's own look for keys that are there twice compares each with each.
    const documents = parseAllDocuments(text, {
      merge: true,
      uniqueKeys: false,
      // Each would show its place in the text, and there may be as many as letters.
      prettyErrors: false,
      lineCounter: lines,
    });
    if (!Array.isArray(documents)) return [];
    return documents.map((document) => {
      const [wrong] = document.errors;
      if (wrong) throw new Error(`${wrong.message} at line ${lines.linePos(wrong.pos[0]).line}`);
      refuseOdd(document);
      return document.toJS({ maxAliasCount: aliasesMax }) as unknown;
    });
  } catch (error) {
    const deep = error instanceof RangeError;
    const [why = ''] = (error as Error).message.split('\n');
    throw new Error(deep ? 'lists and maps in each other are too deep' : why, { cause: error });
  }
}

const depthMax = 500;

/** The parser takes seconds for that. Brackets in texts count too: nobody has so many that are not closed. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[{}\]]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > depthMax) return true;
  }
  // A node has one anchor and one tag at most.
  if (/(?:[&!][^\s&!]*\s+){10}/.test(text)) return true;
  return new RegExp(`(?:[-?:][ \\t]+){${depthMax}}`).test(text);
}

/** A key that is there twice; a list or map that holds itself. */
function refuseOdd(document: Parameters<typeof visit>[0]): void {
  visit(document, {
    Alias(_, { source }, path) {
      if (path.some((node) => isCollection(node) && node.anchor === source))
        throw new Error(`the alias *${source} is of what it is in`);
    },
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (keys.has(key.value))
          throw new Error(`the key ${JSON.stringify(key.value)} is there twice in one map`);
        keys.add(key.value);
      }
    },
  });
}
