import { expect, test } from 'vitest';
import { ProviderError } from '../providers/contract/provider.ts';
import { MemoryRecords } from '../testing/machine-records.ts';
import { CloudCalls } from './cloud-calls.ts';

const { signal } = new AbortController();
const fail = (error: Error) => (): Promise<never> => Promise.reject(error);

function setUp(): { records: MemoryRecords; calls: CloudCalls } {
  const records = new MemoryRecords();
  records.add('0');
  records.add('1', { instanceId: 'i-1' });
  records.add('2', { life: 'dying' });
  records.add('3', { unmanaged: true });
  return { records, calls: new CloudCalls(records) };
}

test('A cloud that does not answer is reported on waiting machines, once for each reason', async () => {
  const { records, calls } = setUp();
  const ask = (why: string): Promise<unknown> => calls.run(records.all(), signal, fail(new Error(why)));
  await expect(ask('down')).rejects.toThrow('down');
  await expect(ask('down')).rejects.toThrow('down');
  expect(records.told).toEqual(['0: not requested yet: down']);
  await expect(ask('slow')).rejects.toThrow('slow');
  expect(records.told).toEqual(['0: not requested yet: down', '0: not requested yet: slow']);
});

test('A reason is reported again after the cloud has answered in between', async () => {
  const { records, calls } = setUp();
  await expect(calls.run(['0'], signal, fail(new Error('down')))).rejects.toThrow();
  expect(await calls.run(['0'], signal, () => 7)).toBe(7);
  await expect(calls.run(['0'], signal, fail(new Error('down')))).rejects.toThrow();
  expect(records.told).toHaveLength(2);
});

test.each(['quota', 'credential'] as const)(
  'A failure for the %s is not reported on machines',
  async (cause) => {
    const { records, calls } = setUp();
    await expect(calls.run(['0'], signal, fail(new ProviderError(cause, 'no')))).rejects.toThrow('no');
    expect(records.told).toEqual([]);
  },
);

test('A stopped worker reports nothing', async () => {
  const { records, calls } = setUp();
  await expect(calls.run(['0'], AbortSignal.abort(), fail(new Error('down')))).rejects.toThrow();
  expect(records.told).toEqual([]);
});
