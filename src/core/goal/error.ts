/** Errors of conditions: what is wrong, and where. */
import { JujuError } from '../errors.ts';

export interface Position {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of the column, from 1. */
  readonly column: number;
}

export type GoalErrorKind = 'syntax' | 'identifier' | 'runtime';

/** Code `not valid`; the message is Juju's, in one line. */
export class GoalError extends JujuError {
  readonly kind: GoalErrorKind;
  readonly position: Position;
  /** Reason without the position. */
  readonly reason: string;
  /** The unknown word, and the words that are known. */
  readonly unknown: { readonly word: string; readonly known: readonly string[] } | undefined;

  constructor(kind: GoalErrorKind, position: Position, { reason, text = reason, unknown }: GoalErrorDetails) {
    super('not valid', kind === 'syntax' ? `Syntax Error: ${at(position)} ${text}` : text);
    this.kind = kind;
    this.position = position;
    this.reason = reason;
    this.unknown = unknown;
  }
}

/**
 * Whether the error is a GoalError. Every JujuError passes for an instance of its subclasses, so this looks for a
 * member that only a GoalError has.
 */
export function isGoalError(error: unknown): error is GoalError {
  return error instanceof JujuError && 'position' in error && 'reason' in error;
}

interface GoalErrorDetails {
  readonly reason: string;
  /** Text of the message in place of the reason. */
  readonly text?: string;
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

function at({ line, column }: Position): string {
  return `<:${line}:${column}>`;
}

export function expected(
  position: Position,
  wanted: string,
  got: string,
  reason = `expected ${wanted}`,
): GoalError {
  return new GoalError('syntax', position, {
    reason,
    text: `expected token to be ${wanted}, got ${got} instead`,
  });
}

export function runtimeError(position: Position, reason: string): GoalError {
  return new GoalError('runtime', position, { reason, text: `Runtime Error: ${reason}` });
}
