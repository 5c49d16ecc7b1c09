import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogLine, LogStore } from '../logs.ts';
import { openFileLogs } from './open-file-logs.ts';

let folder: string;
let logs: LogStore;
const open = (bytesMax = 20_000_000): LogStore =>
  openFileLogs({ folder, bytesMax: () => bytesMax, onError: (error) => errors.push(error) });
let errors: unknown[];
beforeEach(() => {
  errors = [];
  folder = mkdtempSync(join(tmpdir(), 'grigri-logs-'));
  logs = open();
});
afterEach(async () => {
  await logs.close();
  rmSync(folder, { recursive: true });
  expect(errors).toEqual([]);
});

const line = (msg: string, sev = 'INFO'): LogLine => ({
  ts: '2026-01-01T00:00:00Z',
  tag: 'unit-a-0',
  sev,
  mod: 'm',
  loc: '',
  msg,
});
const lines = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from }, (_, i) => line(`message ${from + i} é`));
async function replayed(model = 'm'): Promise<string[]> {
  const messages: string[] = [];
  for await (const { msg } of logs.replay(model)) messages.push(msg);
  return messages;
}
const everything = (): boolean => true;

test('appended log lines are replayed, including those not written yet, and again after a restart', async () => {
  logs.append('m', [line('one'), line('two')]);
  expect(await replayed()).toEqual(['one', 'two']);
  logs.append('m', [line('three\nwith a second line')]);
  await logs.close();
  logs = open();
  expect(await replayed()).toEqual(['one', 'two', 'three\nwith a second line']);
  expect(await replayed('other')).toEqual([]);
});

test('many log lines are replayed completely and in order', async () => {
  logs.append('m', lines(0, 5000));
  logs.append('m', [line('x'.repeat(200_000))]);
  logs.append('m', lines(5000, 5100));
  const messages = await replayed();
  expect(messages).toHaveLength(5101);
  expect(messages[4999]).toBe('message 4999 é');
  expect(messages[5000]).toHaveLength(200_000);
  expect(messages[5100]).toBe('message 5099 é');
  const newest = await logs.last('m', 150, everything);
  expect(newest.map((l) => l.msg)).toEqual(messages.slice(-150));
});

test('last returns the newest log lines that pass the filter, oldest first', async () => {
  logs.append('m', [line('a', 'ERROR'), ...lines(0, 2000), line('b', 'ERROR'), line('c')]);
  const found = await logs.last('m', 10, (l) => l.sev === 'ERROR');
  expect(found.map((l) => l.msg)).toEqual(['a', 'b']);
  expect(await logs.last('m', 0, everything)).toEqual([]);
  expect(await logs.last('other', 5, everything)).toEqual([]);
});

test('a log is bounded, and keeps the newest lines', async () => {
  await logs.close();
  logs = open(10_000);
  for (let at = 0; at < 1000; at += 10) {
    logs.append('m', lines(at, at + 10));
    await logs.last('m', 1, everything);
  }
  const files = readdirSync(join(folder, 'm'));
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, 'm', file)).size, 0);
  expect(bytes).toBeLessThan(25_000);
  const messages = await replayed();
  expect(messages.length).toBeGreaterThan(80);
  expect(messages).toEqual(lines(1000 - messages.length, 1000).map((l) => l.msg));
  expect((await logs.last('m', messages.length, everything)).map((l) => l.msg)).toEqual(messages);
});

test('a replay and a follow that begin together lose no line and repeat none', async () => {
  logs.append('m', lines(0, 100));
  const replay = logs.replay('m');
  const followed: string[] = [];
  const end = logs.follow('m', (l) => followed.push(l.msg));
  logs.append('m', lines(100, 200));
  const messages: string[] = [];
  for await (const { msg } of replay) messages.push(msg);
  expect([...messages, ...followed]).toEqual(lines(0, 200).map((l) => l.msg));
  end();
  logs.append('m', lines(200, 201));
  expect(followed).toHaveLength(100);
});

test('a half-written line that a crash left is skipped, and the next line is not lost with it', async () => {
  logs.append('m', [line('whole')]);
  await logs.close();
  appendFileSync(join(folder, 'm', 'current.log'), '{"msg":"hal');
  logs = open();
  logs.append('m', [line('next')]);
  expect(await replayed()).toEqual(['whole', 'next']);
  expect((await logs.last('m', 5, everything)).map((l) => l.msg)).toEqual(['whole', 'next']);
});

test('a removed log has no lines, and appending begins a new log', async () => {
  logs.append('m', [line('old')]);
  expect(await replayed()).toEqual(['old']);
  logs.append('m', [line('not written yet')]);
  logs.remove('m');
  expect(await replayed()).toEqual([]);
  expect(existsSync(join(folder, 'm'))).toBe(false);
  logs.append('m', [line('new')]);
  expect(await replayed()).toEqual(['new']);
});

test('a model name that leads out of the folder is refused', () => {
  expect(() => logs.append('../m', [line('x')])).toThrow('cannot name a log');
});
