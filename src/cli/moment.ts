import type { Moment } from '../operate/model-file/read-past.ts';
import { UsageError } from './errors.ts';
import { parsePastTime } from './past-time.ts';

/** Reads a moment of the past as users write it: a revision, or what parsePastTime reads. Errors: UsageError. */
export function readMoment(flag: string, text: string, nowMs: number): Moment {
  if (/^\d+$/.test(text)) {
    const revision = Number(text);
    if (Number.isSafeInteger(revision)) return { revision };
  }
  const ms = parsePastTime(text, nowMs);
  if (ms === undefined)
    throw new UsageError(
      `${flag} "${text}": expected a revision, a time (2026-11-21 10:00), or a duration (10m)`,
    );
  return { time: new Date(ms).toISOString() };
}
