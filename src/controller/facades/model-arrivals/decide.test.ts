import { expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { noteAdopted } from '../../transactions/remote/arrivals.ts';

/** Asks whether the machines of the callers' model, which has just been activated, are taken over, and then tells. */
async function answerOnceTold(callers: Callers, problem?: string): Promise<unknown> {
  const { store, model } = callers;
  const of = { model, migration: `${model}:0` };
  await store.change((tx) => {
    tx.put('arrival', model, { ...of, from: 'far', ticket: '', machines: 1, at: tx.now, state: 'adopting' });
  }, 'test');
  const answer = callers.call('ModelArrivals', 'AdoptResources', of, { model: '' });
  answer.catch(() => undefined);
  // The request is read before the change is made.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await store.change((tx) => noteAdopted(tx, model, problem), 'test');
  return answer;
}

test('AdoptResources answers when the machines have been taken over', async () => {
  await using callers = await createCallers();
  expect(await answerOnceTold(callers)).toEqual({});
});

test.each<[when: string, sleep: () => Promise<void>, problem: string]>([
  ['cannot be taken over', () => new Promise(() => undefined), 'the cloud is out of order'],
  ['are not taken over for long', () => Promise.resolve(), 'the machines are being taken over'],
])('AdoptResources of machines that %s says so, and is to be tried again', async (_, sleep, problem) => {
  await using callers = await createCallers({ sleep });
  await expect(answerOnceTold(callers, problem)).rejects.toMatchObject({
    code: 'try again',
    message: problem,
  });
});
