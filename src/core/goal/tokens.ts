/** Words of a condition: `life == "alive"`. */
import { expected, GoalError, type Position } from './error.ts';

/** Kinds of tokens, by Juju's names; a symbol is its own kind. */
export type TokenKind = 'IDENT' | 'INT' | 'FLOAT' | '""' | 'BOOL' | 'EOF' | Symbol;

const symbols = [
  '&&',
  '||',
  '==',
  '!=',
  '<=',
  '>=',
  '=>',
  '<',
  '>',
  '!',
  '(',
  ')',
  '[',
  ']',
  ',',
  ';',
  '.',
] as const;
type Symbol = (typeof symbols)[number];

export interface Token {
  readonly kind: TokenKind;
  /** The token as written; of a text in quotes, the part between the quotes. */
  readonly text: string;
  readonly position: Position;
}

const word = /[A-Za-z_][\w-]*/y;
const number = /\d+(?:\.\d+)?/y;
const space = /[^\S\n]+/y;

/** The tokens, EOF last. Errors: GoalError. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  let offset = 0;
  const position = (): Position => ({ line, column: offset - lineStart + 1 });
  const add = (kind: TokenKind, text: string, length = text.length): void => {
    tokens.push({ kind, text, position: position() });
    offset += length;
  };
  while (offset < query.length) {
    const char = query[offset]!;
    const spaces = match(space, query, offset);
    if (char === '\n') {
      offset++;
      line++;
      lineStart = offset;
    } else if (spaces !== undefined) offset += spaces.length;
    else if (char === '"' || char === "'") {
      const start = offset + 1;
      const end = query.indexOf(char, start);
      if (end < 0) throw expected(position(), '""', 'EOF', 'string is not correctly terminated');
      const text = query.slice(start, end);
      add('""', text, text.length + 2);
      line += text.split('\n').length - 1;
      if (text.includes('\n')) lineStart = start + text.lastIndexOf('\n') + 1;
    } else {
      const name = match(word, query, offset);
      const digits = match(number, query, offset);
      const symbol = symbols.find((one) => query.startsWith(one, offset));
      if (name !== undefined) add(name === 'true' || name === 'false' ? 'BOOL' : 'IDENT', name);
      else if (digits !== undefined) add(digits.includes('.') ? 'FLOAT' : 'INT', digits);
      else if (symbol !== undefined) add(symbol, symbol);
      else
        throw new GoalError('syntax', position(), {
          reason: 'unexpected character',
          text: `invalid character '${char}' found`,
        });
    }
  }
  tokens.push({ kind: 'EOF', text: '', position: position() });
  return tokens;
}

function match(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}
