import { checkLimit, limits } from './limits.ts';

/** The value of a JSON text from outside. Errors: SyntaxError; `quota limit exceeded` for one that is too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkDepth(value);
  return value;
}

/** Errors: `quota limit exceeded` for a value of JSON that is too deep. */
export function checkDepth(value: unknown): void {
  if (isNested(value)) checkLevels(value, 1);
}

/** No deeper than the limit: a value that is deeper than the stack is refused before. */
function checkLevels(value: object, depth: number): void {
  checkLimit(limits.jsonDepth, depth);
  // A list of values is several times faster than a walk by their names, and most of them need no call.
  for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    if (isNested(inner)) checkLevels(inner, depth + 1);
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
