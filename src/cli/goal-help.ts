/** Shows the place of an error in a query, as `juju wait-for` does. */
import { isGoalError, type GoalError, type GoalErrorKind } from '../core/goal/error.ts';
import { visible } from '../kit/visible.ts';
import { suggestions } from '../core/suggestions.ts';

const beginnings: Readonly<Record<GoalErrorKind, string>> = {
  syntax: 'Cannot parse query: ',
  identifier: 'Cannot execute query: ',
  runtime: 'Cannot execute query: runtime error: ',
};

/** Letters of the line that are shown on each side of the error's place. */
const around = 60;

/** Returns the error with the line, the place in it, and names that may have been meant. */
export function withGoalHelp(error: unknown, query: string): unknown {
  if (!isGoalError(error)) return error;
  const { line, column } = error.position;
  const text = query.split('\n')[line - 1] ?? '';
  const from = Math.max(0, column - 1 - around);
  const ledger = `${line} | ${from > 0 ? '…' : ''}`;
  const before = visible(text.slice(from, column - 1));
  const rest = visible(text.slice(column - 1, column - 1 + around));
  const place = `${ledger}${before}${rest}\n${' '.repeat(ledger.length + before.length)}^`;
  return new Error(`${beginnings[error.kind]}${error.reason}.\n\n${place}${namesThatExist(error)}`, {
    cause: error,
  });
}

function namesThatExist({ unknown }: GoalError): string {
  if (!unknown) return '';
  const { word, known } = unknown;
  const close = suggestions(word, known);
  const others = known.filter((name) => !close.includes(name)).sort();
  return [
    ...(close.length > 0
      ? [`\n\nDid you mean:\n\n${close.map((name) => `    ${name}\n`).join('')}`]
      : ['\n']),
    `\n${close.length > 0 ? 'Other possible matches' : 'Possible names'}:\n\n${others.map((name) => `    - ${name}`).join('\n')}`,
  ].join('');
}
