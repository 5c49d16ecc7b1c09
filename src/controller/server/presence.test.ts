import { expect, test } from 'vitest';
import { createPresence } from './presence.ts';

const connection = (heardAt = 0) => ({ superseded: () => undefined, heardAt: () => heardAt });
const second = (n: number): string => new Date(n * 1000).toISOString();

test('presence says since when an agent is absent, and not while one of its connections is there', () => {
  let now = 0;
  const presence = createPresence({ now: () => now * 1000 });
  now = 10;
  expect(presence.absentSince('m', '0'), 'as long as anybody could know').toBe(second(0));
  const endFirst = presence.enter('m', '0', connection());
  const endSecond = presence.enter('m', '0', connection());
  now = 20;
  endFirst();
  expect(presence.absentSince('m', '0')).toBeUndefined();
  now = 30;
  endSecond();
  expect(presence.absentSince('m', '0')).toBe(second(30));
  expect(presence.absentSince('other', '0')).toBe(second(0));
});

test('presence says when an agent was heard last, as long as its connection is there', () => {
  const presence = createPresence({ now: () => 0 });
  expect(presence.heardAt('m', '0')).toBeUndefined();
  const leave = presence.enter('m', '0', connection(7000));
  expect(presence.heardAt('m', '0')).toBe(second(7));
  expect(presence.heardAt('other', '0')).toBeUndefined();
  leave();
  expect(presence.heardAt('m', '0')).toBeUndefined();
});

test('an agent is awaited for a minute after the start, until it has connected once', () => {
  let now = 5;
  const presence = createPresence({ now: () => now * 1000 });
  const leave = presence.enter('m', '0', connection());
  expect(presence.isAwaited('m', '0')).toBe(false);
  leave();
  expect(presence.isAwaited('m', '0')).toBe(false);
  now = 64;
  expect(presence.isAwaited('m', '1')).toBe(true);
  now = 65;
  expect(presence.isAwaited('m', '1')).toBe(false);
});

test('presence forgets the agents that left first, when very many left', () => {
  let now = 0;
  const presence = createPresence({ now: () => now });
  now = 1000;
  for (let n = 0; n < 10_001; n++) presence.enter('m', String(n), connection())();
  expect(presence.absentSince('m', '0')).toBe(second(0));
  expect(presence.absentSince('m', '10000')).toBe(second(1));
});
