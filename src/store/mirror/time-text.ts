/**
 * RFC 3339 with milliseconds, UTC, of a clock in milliseconds since 1970: the same text as long as it is the same
 * millisecond, since making it costs more than other parts of a small change.
 */
export function timeText(now: () => number): () => string {
  let known = { ms: NaN, text: '' };
  return () => {
    const ms = now();
    if (ms !== known.ms) known = { ms, text: new Date(ms).toISOString() };
    return known.text;
  };
}
