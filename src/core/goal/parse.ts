/** The grammar of conditions: parses their text to a tree. */
import { checkLimit, limits } from '../limits.ts';
import { expected, GoalError, type Position } from './error.ts';
import { tokensOf, type Token, type TokenKind } from './tokens.ts';

export type Expression = { readonly position: Position } & (
  | { readonly kind: 'value'; readonly value: string | number | boolean }
  | { readonly kind: 'name'; readonly name: string }
  /** `unit.life` */
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'not'; readonly operand: Expression }
  | {
      readonly kind: 'infix';
      readonly operator: InfixOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `unit => unit.life == "alive"` */
  | { readonly kind: 'lambda'; readonly argument: string; readonly body: Expression }
);

/** Operators between two expressions, and how closely they bind. */
const precedence = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
} as const;
export type InfixOperator = keyof typeof precedence;

/**
 * Parses a condition: an expression, and after a `;` further expressions that are ignored. Errors: GoalError; `quota
 * limit exceeded` for what is too long or nested too deeply.
 */
export function parseExpression(query: string): Expression {
  checkLimit(limits.goalQuery, query.length);
  return new Parser(tokensOf(query)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const first = this.#expression();
    while (this.#skip(';')) if (this.#token.kind !== 'EOF') this.#expression();
    this.#take('EOF', ';');
    return first;
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #skip(kind: TokenKind): boolean {
    if (this.#token.kind !== kind) return false;
    this.#next++;
    return true;
  }

  #take(kind: TokenKind, shown: string = kind): Token {
    const token = this.#token;
    if (token.kind !== kind) throw expected(token.position, shown, token.kind);
    this.#next++;
    return token;
  }

  /**
   * Parses an expression whose operators bind at least as closely as `least`. A chain of operators is as deep as it is
   * long.
   */
  #expression(least = 1): Expression {
    checkLimit(limits.goalDepth, ++this.#depth);
    const before = this.#depth;
    let left = this.#operand();
    for (;;) {
      const { kind, position } = this.#token;
      const binds = Object.hasOwn(precedence, kind) ? precedence[kind as InfixOperator] : 0;
      if (binds < least) break;
      this.#next++;
      checkLimit(limits.goalDepth, ++this.#depth);
      const right = this.#expression(binds + 1);
      left = { kind: 'infix', operator: kind as InfixOperator, left, right, position };
    }
    this.#depth = before - 1;
    return left;
  }

  #operand(): Expression {
    const { position } = this.#token;
    if (this.#skip('!')) {
      checkLimit(limits.goalDepth, ++this.#depth);
      const operand = this.#operand();
      this.#depth--;
      return { kind: 'not', operand, position };
    }
    if (this.#skip('(')) {
      const inner = this.#expression();
      this.#take(')');
      return inner;
    }
    const token = this.#token;
    this.#next++;
    switch (token.kind) {
      case '""':
        return { kind: 'value', value: token.text, position };
      case 'INT':
      case 'FLOAT':
        return { kind: 'value', value: Number(token.text), position };
      case 'BOOL':
        return { kind: 'value', value: token.text === 'true', position };
      case 'IDENT':
        return this.#afterName(token);
      default:
        throw new GoalError('syntax', position, {
          reason: token.kind === 'EOF' ? 'expected IDENT' : 'unexpected character',
          text:
            token.kind === 'EOF'
              ? 'expected token to be IDENT, got EOF instead'
              : `invalid character '${token.kind}' found`,
        });
    }
  }

  /** Parses an expression that begins with a name: a call, a lambda, a member, or the name alone. */
  #afterName({ text: name, position }: Token): Expression {
    if (this.#skip('=>')) return { kind: 'lambda', argument: name, body: this.#expression(), position };
    if (this.#skip('(')) {
      const args: Expression[] = [];
      while (!this.#skip(')')) {
        if (args.length > 0) this.#take(',', ')');
        args.push(this.#expression());
      }
      return { kind: 'call', name, args, position };
    }
    let expression: Expression = { kind: 'name', name, position };
    while (this.#skip('.')) {
      const member = this.#take('IDENT');
      checkLimit(limits.goalDepth, ++this.#depth);
      expression = { kind: 'member', of: expression, name: member.text, position: member.position };
    }
    return expression;
  }
}
