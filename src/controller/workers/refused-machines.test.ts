import { expect, test } from 'vitest';
import { createLog, type LogRecord } from '../../kit/log.ts';
import { RefusedMachines } from './refused-machines.ts';

function logged(machines: number): string[] {
  const records: LogRecord[] = [];
  const refused = new RefusedMachines();
  for (let id = 0; id < machines; id++) refused.add(String(id), `no firewall for i-${id}`);
  refused.log(
    createLog(
      'test',
      (record) => void records.push(record),
      () => 0,
    ),
    'cannot set it',
  );
  expect(refused.machines).toHaveLength(machines);
  return records.map(({ message }) => message);
}

test('refusals are logged one by one when the machines are few', () => {
  expect(logged(0)).toEqual([]);
  expect(logged(2)).toEqual([
    'cannot set it machine=0 error="no firewall for i-0"',
    'cannot set it machine=1 error="no firewall for i-1"',
  ]);
});

test('refusals are logged in six short records when the machines are many', () => {
  const records = logged(10_000);
  expect(records).toHaveLength(6);
  expect(records[5]).toMatch(/^cannot set it others=9995 machines=5,6,.*,104$/);
  expect(Math.max(...records.map(({ length }) => length))).toBeLessThan(1000);
});
