import { expect, test } from 'vitest';
import type { LogMessage } from '../../client/log-stream.ts';
import type { CliIo } from '../io.ts';
import { retried } from './debug-log.ts';

const line = (ts: string, msg: string): LogMessage => ({
  tag: 'unit-a-0',
  ts,
  sev: 'INFO',
  mod: 'm',
  loc: '',
  msg,
});
const [a, b, c] = [line('1', 'a'), line('2', 'b'), line('2', 'c')];

/**
 * Reads streams, one after the other: each yields its messages and ends, or throws the first item that is no message.
 */
async function read(
  streams: readonly (readonly (LogMessage | Error)[])[],
  { noTail }: { readonly noTail: boolean },
): Promise<unknown> {
  const opened: string[] = [];
  const said: string[] = [];
  const slept: number[] = [];
  const abort = new AbortController();
  const io = {
    signal: abort.signal,
    clock: { now: () => 0, sleep: (ms: number) => Promise.resolve(void slept.push(ms)) },
  } as unknown as CliIo;
  async function* open(since: string): AsyncGenerator<LogMessage, void, undefined> {
    await Promise.resolve();
    for (const message of streams[opened.push(since) - 1] ?? []) {
      if (message instanceof Error) throw message;
      yield message;
    }
    if (opened.length >= streams.length) abort.abort();
  }
  const messages: string[] = [];
  for await (const { msg } of retried({ io, info: (text) => void said.push(text) }, open, {
    delayMs: 5,
    noTail,
  }))
    messages.push(msg);
  return { messages, opened, said, slept };
}

test('a log whose connection was lost is read on from the last message, each message once', async () => {
  const streams = [[a, b], [new Error('refused')], [b, c], []];
  expect(await read(streams, { noTail: false })).toEqual({
    messages: ['a', 'b', 'c'],
    opened: ['', '2', '2', '2'],
    said: [
      'the connection was lost; reconnecting',
      'refused; reconnecting',
      'the connection was lost; reconnecting',
    ],
    slept: [5, 5, 5],
  });
});

test('a log that is not followed is read once when its connection is not lost', async () => {
  expect(await read([[a], [b]], { noTail: true })).toMatchObject({ messages: ['a'], opened: [''] });
});
