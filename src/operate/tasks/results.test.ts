import { expect, test } from 'vitest';
import type { Connection } from '../../client/connection.ts';
import { readResults } from './results.ts';

test('outputs of tasks that do not fit in one answer are requested again', async () => {
  const asked: number[] = [];
  const connection = {
    call: (_facade: string, _method: string, { entities }: { entities: { tag: string }[] }) => {
      asked.push(entities.length);
      const error = { code: 'quota limit exceeded', message: 'answer: 9 characters exceed the limit of 8' };
      const results = entities.map(({ tag }, n) => (n < 2 ? { message: tag } : { error }));
      return Promise.resolve({ results });
    },
  } as unknown as Connection;
  const tags = ['1', '2', '3', '4', '5'];
  const results = await readResults(connection, tags, new AbortController().signal);
  expect(results.map(({ message }) => message)).toEqual(tags);
  expect(asked).toEqual([5, 3, 1]);
});

test('a task that is refused on its own keeps its error', async () => {
  const error = { code: 'quota limit exceeded', message: 'no' };
  const connection = { call: () => Promise.resolve({ results: [{ error }] }) } as unknown as Connection;
  expect(await readResults(connection, ['1', '2'], new AbortController().signal)).toEqual([
    { error },
    { error },
  ]);
});
