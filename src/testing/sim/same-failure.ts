import type { Violation } from './run-script.ts';

/**
 * Whether two violations are the same except for names and times, so that shrinking a script does not end at another
 * failure.
 */
export function isSameFailure(a: Violation | undefined, b: Violation): boolean {
  return a !== undefined && kindOf(a) === kindOf(b);
}

function kindOf({ sentence }: Violation): string {
  return (sentence.split('\n')[0] ?? '')
    .replace(/(It never settles).*/, '$1')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]+|\bi-[0-9a-f]{12}/g, 'id')
    .replace(/\b(db|web|cache|logger|monitor)2?\b(\/\d+)?/g, 'it')
    .replace(/\d+/g, 'n');
}
