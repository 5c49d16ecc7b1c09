import { checkLimit, limits } from './limits.ts';

/** Parses JSON from outside. Errors: SyntaxError; `quota limit exceeded` when it is nested too deeply. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Each level of nesting has two brackets.
  if (text.length > 2 * limits.jsonDepth.max) checkDepth(value);
  return value;
}

/** Checks the depth of a JSON value. Errors: `quota limit exceeded` when it is nested too deeply. */
export function checkDepth(value: unknown): void {
  if (isNested(value)) checkLevels(value, 1);
}

/** Recursion never exceeds the limit: a deeper value is refused before the stack overflows. */
function checkLevels(value: object, depth: number): void {
  checkLimit(limits.jsonDepth, depth);
  if (Array.isArray(value)) {
    for (const inner of value) if (isNested(inner)) checkLevels(inner, depth + 1);
    return;
  }
  // Object.keys on a new object is several times faster than `in` and than Object.values.
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (isNested(inner)) checkLevels(inner, depth + 1);
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
