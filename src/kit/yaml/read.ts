/** The only reader of untrusted YAML: its cost is linear in the text's size, and every size has a limit. */
import {
  Composer,
  isCollection,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type Alias,
  type CST,
  type Document,
} from 'yaml';
import { JujuError } from '../../core/errors.ts';
import { utf8Bytes } from '../../core/json-bytes.ts';
import { checkLimit, limits, type Limit } from '../../core/limits.ts';
import { dialects, type Dialect } from './dialects.ts';
import { setVariables, type Variables } from './variables.ts';

interface YamlOptions {
  /** The dialect of scalars; default `1.2`. */
  readonly dialect?: Dialect;
  /** Maximum number of aliases; default 100. */
  readonly aliasesMax?: number;
  /** Maximum size of the text, in bytes and in tokens (words, signs, spaces, line ends). */
  readonly size?: { readonly bytes: Limit; readonly marks: Limit };
  /** Whether maps are returned as Maps, in the text's order; by default as objects. */
  readonly maps?: boolean;
  /** Treatment of a key that a map lists twice: the key is refused (default), or its last value counts. */
  readonly repeatedKeys?: 'refused' | 'last';
  /** Values of variables in the text's scalars; absent = the text has no variables. */
  readonly variables?: Variables;
}

/** Options for the files of charms, as Juju reads them: some public charms list a key twice. */
export const charmYaml: YamlOptions = { dialect: 'juju', repeatedKeys: 'last' };

const ordinary = { bytes: limits.yamlBytes, marks: limits.yamlMarks };

const documentsMax = 100;
/** The lexer's marker before a scalar, which may contain anything. */
const scalarFollows = '\x1f';

/**
 * Every document of a YAML text as plain values. Errors: plain Error with the problem in one line: invalid YAML, a
 * duplicate key, an alias of nothing or within its own anchor, too many aliases; JujuError `quota limit exceeded`: too
 * large, too deep.
 */
export function readYaml(text: string, options: YamlOptions = {}): unknown[] {
  const { dialect = '1.2', aliasesMax = 100, size = ordinary, maps = false, variables } = options;
  const repeated = options.repeatedKeys === 'last';
  checkLimit(size.bytes, utf8Bytes(text));
  const lines = new LineCounter();
  const composer = new Composer({
    ...dialects[dialect],
    // The parser's own check for duplicate keys is quadratic.
    uniqueKeys: false,
    // Each error would quote its place in the text, and there may be as many errors as letters.
    prettyErrors: false,
    logLevel: 'silent',
  });
  const values: unknown[] = [];
  try {
    for (const document of composer.compose(tokensOf(text, { lines, aliasesMax, marks: size.marks }))) {
      if (values.length === documentsMax) throw new Error(`there are more than ${documentsMax} documents`);
      const [firstError] = document.errors;
      if (firstError)
        throw new Error(`${firstError.message} at line ${lines.linePos(firstError.pos[0]).line}`);
      refuseOdd(document, { dialect, repeated, lines });
      if (variables) setVariables(document, { variables, lines, size: size.bytes });
      values.push(valueOf(document, { aliasesMax, maps, lines }));
    }
  } catch (error) {
    if (error instanceof JujuError) throw error;
    throw new Error((error as Error).message.split('\n', 1)[0], { cause: error });
  }
  return values;
}

/**
 * The value of a text that holds one document; undefined when it holds none. Errors: as readYaml's, and several
 * documents.
 */
export function readYamlValue(text: string, options?: YamlOptions): unknown {
  const [value, ...more] = readYaml(text, options);
  if (more.length > 0) throw new Error('only one document is expected');
  return value;
}

function valueOf(
  document: Document.Parsed | Document,
  options: { readonly aliasesMax: number; readonly maps: boolean; readonly lines: LineCounter },
): unknown {
  const { aliasesMax, maps, lines } = options;
  try {
    return document.toJS({ maxAliasCount: aliasesMax, mapAsMap: maps });
  } catch (error) {
    // refuseOdd has found all aliases of nothing: these are aliases of aliases.
    if (!(error instanceof ReferenceError)) throw error;
    const where = lineOf(lines, nestedAlias(document));
    throw new Error(
      `aliases of what has aliases itself stand for more than ${aliasesMax} values${where}: write them out`,
      { cause: error },
    );
  }
}

/** The first alias of a node that has aliases itself. */
function nestedAlias(document: Document.Parsed | Document): Alias | undefined {
  const holders = new Set<string>();
  let nested: Alias | undefined;
  visit(document as Document, {
    Alias(_, alias, path) {
      if (holders.has(alias.source)) nested ??= alias;
      for (const node of path) if (isCollection(node) && node.anchor) holders.add(node.anchor);
    },
  });
  return nested;
}

function lineOf(
  lines: LineCounter,
  node: { range?: readonly number[] | null | undefined } | undefined,
): string {
  return node?.range ? ` at line ${lines.linePos(node.range[0]!).line}` : '';
}

/** Tokens of the text, until the first error or the limit; tokens read before that are discarded. */
function* tokensOf(
  text: string,
  { lines, aliasesMax, marks }: { lines: LineCounter; aliasesMax: number; marks: Limit },
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let aliasCount = 0;
  let preceding = '';
  let [aliases, directives] = [0, 0];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    checkLimit(marks, ++aliasCount);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'directive' && ++directives > 10)
        throw new Error('there are more than 10 directives');
      yield accepted(token, lines);
    }
    if (preceding !== scalarFollows && lexeme.startsWith('*') && ++aliases > aliasesMax)
      throw new Error(`there are more than ${aliasesMax} aliases`);
    preceding = lexeme;
    // The path of open collections, with the document.
    checkLimit(limits.yamlDepth, parser.stack.length - 1);
  }
  for (const token of parser.end()) yield accepted(token, lines);
}

function accepted(token: CST.Token, lines: LineCounter): CST.Token {
  if (token.type === 'error') throw new Error(`${token.message} at line ${lines.linePos(token.offset).line}`);
  return token;
}

/**
 * Checks for duplicate keys, unless they may be `repeated`, for aliases of nothing, and for collections that contain
 * themselves. Keys are texts where the dialect says so.
 */
function refuseOdd(
  document: Document.Parsed | Document,
  options: { dialect: Dialect; repeated: boolean; lines: LineCounter },
): void {
  const { dialect, repeated, lines } = options;
  const anchors = new Set<string | undefined>();
  visit(document as Document, {
    Alias(_, alias, path) {
      const { source } = alias;
      const at = lineOf(lines, alias);
      if (!anchors.has(source))
        throw new Error(`the alias *${source} is of nothing${at}: set &${source} before it`);
      if (path.some((node) => isCollection(node) && node.anchor === source))
        throw new Error(`the alias *${source} is of what it is in${at}`);
    },
    Node(_, { anchor }) {
      anchors.add(anchor);
    },
    Map(_, { items, anchor }) {
      anchors.add(anchor);
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (dialect === 'juju' && typeof key.value !== 'string' && key.source !== undefined)
          key.value = key.source;
        if (key.value === '<<' || repeated) continue;
        if (keys.has(key.value))
          throw new Error(
            `the key ${JSON.stringify(key.value)} is listed twice in one map${lineOf(lines, key)}`,
          );
        keys.add(key.value);
      }
    },
  });
}
