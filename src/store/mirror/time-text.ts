/**
 * Formats a clock in milliseconds since 1970 as RFC 3339 with milliseconds, UTC. The text is cached for a
 * millisecond, since formatting costs more than other parts of a small change.
 */
export function timeText(now: () => number): () => string {
  let known = { ms: NaN, text: '' };
  return () => {
    const ms = now();
    if (ms !== known.ms) known = { ms, text: new Date(ms).toISOString() };
    return known.text;
  };
}
