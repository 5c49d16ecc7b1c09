import { checkLimit, limits } from './limits.ts';

/** The value of a JSON text from outside. Errors: SyntaxError; `quota limit exceeded` for one that is too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkDepth(value);
  return value;
}

/** Errors: `quota limit exceeded` for a value of JSON that is too deep. */
export function checkDepth(value: unknown, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  // No deeper than the limit: a value that is deeper than the stack is refused before.
  checkLimit(limits.jsonDepth, depth);
  if (Array.isArray(value)) for (const inner of value) checkDepth(inner, depth + 1);
  else for (const key in value) checkDepth((value as Record<string, unknown>)[key], depth + 1);
}
