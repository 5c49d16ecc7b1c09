/** The messages of a task (operations.md#task-log). */
import { jsonBytes } from '../json-bytes.ts';
import { limits } from '../limits.ts';

export interface LogLine {
  /** RFC 3339. */
  readonly timestamp: string;
  readonly message: string;
}

/** The last message of a log that is full. */
export const fullMessage = 'the log of this task is full: further messages are dropped';

/** Bytes that are kept for the last message. */
const reserve = 256;

/** Returns the log with one line more, or with the note that it is full; undefined when that is noted already. */
export function withLine(log: readonly LogLine[], line: LogLine): readonly LogLine[] | undefined {
  if (log.at(-1)?.message === fullMessage) return undefined;
  const { taskLog, taskLogLines } = limits;
  const longer = [...log, line];
  if (longer.length < taskLogLines.max && jsonBytes(longer) <= taskLog.max - reserve) return longer;
  return [...log, { timestamp: line.timestamp, message: fullMessage }];
}
