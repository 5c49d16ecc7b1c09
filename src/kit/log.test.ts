import { expect, test } from 'vitest';
import { createLog, formatRecord, type LogRecord } from './log.ts';

const lineOf = (write: (log: ReturnType<typeof createLog>) => void): string => {
  const records: LogRecord[] = [];
  write(
    createLog(
      'grigri.test',
      (record) => records.push(record),
      () => 0,
    ),
  );
  return formatRecord(records[0]!);
};

test.each([
  ['a message', 'a\nb\u001b[2Jc\u202e', '1970-01-01 00:00:00 INFO grigri.test a\n    b\\u001b[2Jc\\u202e'],
  [
    'a forged record',
    'x\n2026-01-01 00:00:00 ERROR root owned',
    '1970-01-01 00:00:00 INFO grigri.test x\n    2026-01-01 00:00:00 ERROR root owned',
  ],
  ['a line that is written over', 'x\rroot', '1970-01-01 00:00:00 INFO grigri.test x\n    root'],
])(
  '%s from outside sends nothing to the terminal and makes no record of its own',
  (_what, message, expected) => {
    expect(lineOf((log) => log.info(message))).toBe(expected);
  },
);

test('a field and an error from outside send nothing to the terminal and make no records of their own', () => {
  const error = new Error('no\n2026-01-01 00:00:00 ERROR forged \u001b]0;title\u0007');
  const line = lineOf((log) => log.error('failed', { name: 'a\u001b[31m\nb', error }));
  expect(line).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(
    line
      .split('\n')
      .slice(1)
      .every((one) => one.startsWith('    ')),
  ).toBe(true);
});

test('a module from outside is one visible line', () => {
  const record = { time: '2026-01-01T00:00:00Z', level: 'INFO', module: 'a\nb\u001b', message: 'm' } as const;
  expect(formatRecord(record)).toBe('2026-01-01 00:00:00 INFO a b\\u001b m');
});
