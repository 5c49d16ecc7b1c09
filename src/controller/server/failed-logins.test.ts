import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { createLog, type LogRecord } from '../../kit/log.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { FailedLogins } from './failed-logins.ts';

function start() {
  const clock = new ManualClock();
  const records: LogRecord[] = [];
  const failed = new FailedLogins(
    clock,
    createLog(
      'test',
      (record) => records.push(record),
      () => clock.now(),
    ),
  );
  const from = (address: string): void => failed.note({ tag: 'user-bob', address, reason: 'wrong' });
  return { clock, records, failed, from };
}

test('failed logins of an address are logged up to a rate, and the next line says how many were left out', () => {
  const { clock, records, from } = start();
  const { max } = limits.failedLoginLinesOfAddress;
  for (let i = 0; i < max + 5; i++) from('10.0.0.1');
  expect(records).toHaveLength(max);
  clock.advance(60_000);
  from('10.0.0.1');
  const { message } = records.at(-1)!;
  for (const part of ['entity=user-bob', 'address=10.0.0.1', 'notLogged=5']) expect(message).toContain(part);
});

test('failed logins of many addresses are logged up to a rate', () => {
  const { records, from } = start();
  const { max } = limits.failedLoginLines;
  for (let i = 0; i < 2 * max; i++) from(`10.0.0.${i}`);
  expect(records).toHaveLength(max);
});

test('a long name is cut, and stays one line', () => {
  const { records, failed } = start();
  failed.note({ tag: `x\n${'x'.repeat(1_000_000)}`, address: '10.0.0.1', reason: 'wrong' });
  expect(records[0]!.message.length).toBeLessThan(200);
  expect(records[0]!.message).not.toContain('\n');
});
