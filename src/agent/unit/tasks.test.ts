import { expect, test } from 'vitest';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { Tasks } from './tasks.ts';

test('a task that was cancelled before it began does not run when a restored controller has it open again', async () => {
  let told: TaskRecord[] = [];
  const ends: string[] = [];
  const { signal } = new AbortController();
  const tasks = new Tasks({
    receiver: 'web/0',
    lost: 'lost',
    forced: signal,
    mirror: { tasks: () => told, task: (id) => told.find((one) => one.id === id) },
    api: {
      call: (_method, params) => {
        ends.push(JSON.stringify(params));
        return Promise.resolve({} as never);
      },
    },
  });
  const tell = (...records: TaskRecord[]): void => {
    told = records;
    tasks.onChange();
  };
  const task: TaskRecord = { id: '5', receiver: 'web/0', name: 'work', parameters: {}, status: 'pending' };
  tell(task);
  tell();
  tell({ ...task, restore: 'restore-1' });
  let ran = 0;
  await tasks.runNext(() => {
    ran++;
    return Promise.resolve({ status: 'completed', message: '', output: {} });
  }, signal);
  expect(ran).toBe(0);
  expect(ends).toEqual([expect.stringContaining('"status":"failed"')]);
});
