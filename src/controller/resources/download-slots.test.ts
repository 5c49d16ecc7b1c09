import { expect, test } from 'vitest';
import { DownloadSlots } from './download-slots.ts';

function start(ofController: number, ofApplication: number) {
  const limits = { ofController, ofApplication };
  const slots = new DownloadSlots(() => limits);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, signal = new AbortController().signal): Promise<unknown> =>
    slots
      .take(name.split('/')[0]!, signal)
      .then((end) => (running.push(name), ends.set(name, end)))
      .catch((error: unknown) => error);
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    await turn();
  };
  return { limits, running, take, end };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('downloads without limits never wait', async () => {
  const { running, take } = start(0, 0);
  await Promise.all(Array.from({ length: 100 }, (_, i) => take(`a/${i}`)));
  expect(running).toHaveLength(100);
});

test('downloads over the limit of the controller wait, and start in the order in which they came', async () => {
  const { running, take, end } = start(2, 0);
  for (const name of ['a/0', 'a/1', 'b/0', 'a/2']) void take(name);
  await turn();
  expect(running).toEqual(['a/0', 'a/1']);
  await end('a/0');
  await end('a/0');
  expect(running).toEqual(['a/0', 'a/1', 'b/0']);
  await end('a/1');
  expect(running).toEqual(['a/0', 'a/1', 'b/0', 'a/2']);
});

test('an application that is at its limit holds up no other', async () => {
  const { running, take, end } = start(3, 1);
  for (const name of ['a/0', 'a/1', 'a/2', 'b/0']) void take(name);
  await turn();
  expect(running).toEqual(['a/0', 'b/0']);
  await end('a/0');
  expect(running).toEqual(['a/0', 'b/0', 'a/1']);
});

test('a download that is given up while it waits takes no slot', async () => {
  const { running, take, end } = start(1, 0);
  const gone = new AbortController();
  void take('a/0');
  const waiting = take('a/1', gone.signal);
  void take('a/2');
  await turn();
  gone.abort(new Error('gone'));
  expect(await waiting).toEqual(new Error('gone'));
  await end('a/0');
  expect(running).toEqual(['a/0', 'a/2']);
  const late = new AbortController();
  late.abort(new Error('late'));
  expect(await take('a/3', late.signal)).toEqual(new Error('late'));
});

test('a limit that is raised or taken away counts from the next change on', async () => {
  const { limits, running, take, end } = start(1, 0);
  for (const name of ['a/0', 'a/1', 'a/2', 'a/3']) void take(name);
  await turn();
  limits.ofController = 0;
  await end('a/0');
  expect(running).toEqual(['a/0', 'a/1', 'a/2', 'a/3']);
});
