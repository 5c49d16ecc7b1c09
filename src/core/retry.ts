/** What is tried again by itself after a failure. */
export interface Retry {
  /** Number of failed attempts in a row. */
  readonly attempt: number;
  /** RFC 3339, UTC: when the next attempt is. */
  readonly at: string;
}

/** The status message of what waits for its next attempt. */
export function waitsToRetry({ attempt, at }: Retry, failure: string): string {
  return `attempt ${attempt} failed, next at ${timeOfDay(at)}: ${failure}`;
}

/** `01:00:30Z`, of an RFC 3339 time. */
export function timeOfDay(time: string): string {
  return `${time.slice(11, 19)}Z`;
}
