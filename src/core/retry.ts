/** A step that is tried again by itself after a failure. */
export interface Retry {
  /** Number of failed attempts in a row. */
  readonly attempt: number;
  /** RFC 3339, UTC: when the next attempt is. */
  readonly at: string;
}

/** The status message of an entity that waits for its next attempt. */
export function waitsToRetry({ attempt, at }: Retry, failure: string): string {
  return `attempt ${attempt} failed, next at ${timeOfDay(at)}: ${failure}`;
}

/** The time of day of an RFC 3339 time: `01:00:30Z`. */
export function timeOfDay(time: string): string {
  return `${time.slice(11, 19)}Z`;
}
