import { expect, test } from 'vitest';
import { jsonBytes } from '../json-bytes.ts';
import { limits } from '../limits.ts';
import { fullMessage, withLine, type LogLine } from './log.ts';

const line = (message: string): LogLine => ({ timestamp: '2026-01-01T00:00:00.000Z', message });

/** The log after each of the messages. */
function logOf(messages: readonly string[]): readonly LogLine[] {
  return messages.reduce<readonly LogLine[]>((log, message) => withLine(log, line(message)) ?? log, []);
}

test('messages of a task are kept in their order', () => {
  expect(logOf(['a', 'b', 'a'])).toEqual([line('a'), line('b'), line('a')]);
});

test('a task’s log keeps limits.taskLogLines messages, the last of which says that the log is full', () => {
  const { max } = limits.taskLogLines;
  const log = logOf(Array.from({ length: max + 5 }, (_, n) => String(n)));
  expect(log).toHaveLength(max);
  expect(log.slice(-2)).toEqual([line(String(max - 2)), line(fullMessage)]);
  expect(withLine(log, line('more'))).toBeUndefined();
});

test('a task’s log keeps limits.taskLog bytes, and drops all messages after one that does not fit', () => {
  const { max } = limits.taskLog;
  const log = logOf(['a'.repeat(max - 1000), 'b'.repeat(1000), 'c']);
  expect(log.map(({ message }) => message.slice(0, 10))).toEqual(['aaaaaaaaaa', fullMessage.slice(0, 10)]);
  expect(jsonBytes(log)).toBeLessThanOrEqual(max);
});
