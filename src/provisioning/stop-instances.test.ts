import { expect, test } from 'vitest';
import { stopInstances, type StopFailure } from './stop-instances.ts';

const refused = new Error('locked');

/** Stops instances on a cloud that refuses requests containing a locked instance. Returns the requests and failures. */
async function stop(
  ids: readonly string[],
  locked: readonly string[],
  signal = new AbortController().signal,
): Promise<{ asked: string[]; failures: StopFailure<{ instanceId: string }>[] }> {
  const asked: string[] = [];
  const instances = {
    stop: (some: readonly string[]) => {
      asked.push(some.join('+'));
      return some.some((id) => locked.includes(id)) ? Promise.reject(refused) : Promise.resolve();
    },
  };
  const stops = ids.map((instanceId) => ({ instanceId }));
  return { failures: await stopInstances({ instances }, stops, signal), asked };
}

test.each([
  { what: 'nothing to stop asks the cloud for nothing', ids: [], locked: [], asked: [], failed: [] },
  {
    what: 'all instances are stopped by one request',
    ids: ['a', 'b'],
    locked: [],
    asked: ['a+b'],
    failed: [],
  },
  {
    what: 'after a refusal each instance is stopped by itself, and only the refused one fails',
    ids: ['a', 'b', 'c'],
    locked: ['b'],
    asked: ['a+b+c', 'a', 'b', 'c'],
    failed: ['b'],
  },
  {
    what: 'a single refused instance is asked for once',
    ids: ['b'],
    locked: ['b'],
    asked: ['b'],
    failed: ['b'],
  },
])('$what', async ({ ids, locked, asked, failed }) => {
  const outcome = await stop(ids, locked);
  expect(outcome.asked).toEqual(asked);
  expect(outcome.failures).toEqual(failed.map((instanceId) => ({ stop: { instanceId }, error: refused })));
});

test('A worker that is stopped meanwhile does not stop instances one by one', async () => {
  const { asked, failures } = await stop(['a', 'b'], ['b'], AbortSignal.abort());
  expect(asked).toEqual(['a+b']);
  expect(failures.map((failure) => failure.stop.instanceId)).toEqual(['a', 'b']);
});
