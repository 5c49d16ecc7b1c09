import { expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { createCallers } from '../testing/call.ts';
import { Timeline } from './timeline.ts';

test('a timeline keeps its first lines, and counts all', async () => {
  await using callers = await createCallers();
  let now = 0;
  const timeline = new Timeline(
    () => now++,
    () => callers.view(),
  );
  const { max } = limits.forecastLines;
  for (let n = 0; n <= max; n++) timeline.add('event', `event ${n}`);
  expect(timeline.count).toBe(max + 1);
  expect(timeline.lines).toHaveLength(max);
  expect(timeline.lines.at(-1)).toEqual({ atMs: max - 1, entity: 'event', what: `event ${max - 1}` });
});

test('a line of a timeline is cut at its limit', async () => {
  await using callers = await createCallers();
  const timeline = new Timeline(
    () => 0,
    () => callers.view(),
  );
  const { max } = limits.forecastLine;
  timeline.add('event', 'x'.repeat(max));
  timeline.add('event', 'x'.repeat(max + 1));
  expect(timeline.lines.map(({ what }) => what)).toEqual(['x'.repeat(max), `${'x'.repeat(max - 1)}…`]);
});
