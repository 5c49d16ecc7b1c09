import { checkLimit, limits } from './limits.ts';

/** The value of a JSON text from outside. Errors: SyntaxError; `quota limit exceeded` for one that is too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkDepth(value);
  return value;
}

/** Errors: `quota limit exceeded` for a value of JSON that is too deep. */
export function checkDepth(value: unknown): void {
  let level: object[] = isNested(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    checkLimit(limits.jsonDepth, depth);
    const below: object[] = [];
    for (const one of level)
      for (const inner of Object.values(one) as unknown[]) if (isNested(inner)) below.push(inner);
    level = below;
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
