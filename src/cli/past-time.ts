import { parseDuration } from '../core/duration.ts';

/**
 * Parses a past time as users write it: RFC 3339, `2026-11-21`, `2026-11-21 10:00[:30]` (local time, or with Z or an
 * offset), `10m`, `-10m` or `10m ago`. Returns milliseconds since 1970; undefined for any other text.
 */
export function parsePastTime(text: string, nowMs: number): number | undefined {
  const duration = /^-?([\d.][a-zµ\d.]*)(?: ago)?$/.exec(text)?.[1];
  if (duration !== undefined && /[a-zµ]/.test(duration)) return beforeNow(duration, nowMs);
  const date = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(
    text,
  );
  if (!date) return undefined;
  // Times without an offset are local time, and so is a date alone.
  const ms = Date.parse(`${date[1]}T${date[2] ?? '00:00'}${date[3] ?? ''}`);
  return Number.isNaN(ms) ? undefined : ms;
}

function beforeNow(duration: string, nowMs: number): number | undefined {
  const days = /^(\d+)d$/.exec(duration)?.[1];
  if (days !== undefined) return nowMs - Number(days) * 86_400_000;
  try {
    return nowMs - parseDuration(duration);
  } catch {
    return undefined; // Text that is no duration: the caller reports the error.
  }
}
