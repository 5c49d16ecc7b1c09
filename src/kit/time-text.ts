/**
 * Formats a clock in milliseconds since 1970 as RFC 3339 with milliseconds, UTC. The text is cached for a
 * millisecond, since formatting costs more than other parts of a small change.
 */
export function timeText(now: () => number): () => string {
  let cached = { ms: NaN, text: '' };
  return () => {
    const ms = now();
    if (ms !== cached.ms) cached = { ms, text: new Date(ms).toISOString() };
    return cached.text;
  };
}
