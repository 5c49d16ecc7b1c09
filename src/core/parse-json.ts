import { checkLimit, limits } from './limits.ts';

/** The value of a JSON text from outside. Errors: SyntaxError; `quota limit exceeded` for one that is too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Each level has two brackets.
  if (text.length > 2 * limits.jsonDepth.max) checkDepth(value);
  return value;
}

/** Errors: `quota limit exceeded` for a value of JSON that is too deep. */
export function checkDepth(value: unknown): void {
  if (isNested(value)) checkLevels(value, 1);
}

/** No deeper than the limit: a value that is deeper than the stack is refused before. */
function checkLevels(value: object, depth: number): void {
  checkLimit(limits.jsonDepth, depth);
  if (Array.isArray(value)) {
    for (const inner of value) if (isNested(inner)) checkLevels(inner, depth + 1);
    return;
  }
  // A list of names is several times faster than `in`, and than a list of values, of an object that is new.
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (isNested(inner)) checkLevels(inner, depth + 1);
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
