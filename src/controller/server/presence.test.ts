import { expect, test } from 'vitest';
import { createPresence } from './presence.ts';

const second = (n: number): string => new Date(n * 1000).toISOString();

test('says since when an agent is absent, and not while one of its connections is there', () => {
  let now = 0;
  const presence = createPresence({ now: () => now * 1000 });
  now = 10;
  expect(presence.absentSince('m', '0'), 'as long as anybody could know').toBe(second(0));
  const first = presence.enter('m', '0', () => undefined);
  const again = presence.enter('m', '0', () => undefined);
  now = 20;
  first();
  expect(presence.absentSince('m', '0')).toBeUndefined();
  now = 30;
  again();
  expect(presence.absentSince('m', '0')).toBe(second(30));
  expect(presence.absentSince('other', '0')).toBe(second(0));
});

test('forgets those who left first, when very many did', () => {
  let now = 0;
  const presence = createPresence({ now: () => now });
  now = 1000;
  for (let n = 0; n < 10_001; n++) presence.enter('m', String(n), () => undefined)();
  expect(presence.absentSince('m', '0')).toBe(second(0));
  expect(presence.absentSince('m', '10000')).toBe(second(1));
});
