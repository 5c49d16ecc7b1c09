/** `npm run sim -- --forecasts` tries many. */
import { afterAll, expect, test } from 'vitest';
import { some } from '../thorough.ts';
import { tryForecast } from './forecasts.ts';

const seeds = Array.from({ length: 40 }, (_, n) => n + 1);

/**
 * A machine with a container reboots; a container is lost; a machine is lost whose zone has failed before; a zone fails
 * soon after its machine reboots; a failing hook is mended between its retries; update-status hooks run near the end; a
 * machine reboots whose container has not been heard of at the copy; a hook waits for another on its machine at the
 * copy; a zone fails within a hook.
 */
const others = [67, 43, 275, 113_887_534, 113_887_540, 585_188_786, 812_443_068, 812_443_047, 812_442_964];

let compared = 0;

test.each([...some(seeds, 3), ...others])('the forecast of seed %i comes true', async (seed) => {
  const { facts, differences } = await tryForecast(seed);
  expect(differences).toEqual([]);
  compared += facts.length;
});

// A world may be without a model when the forecast is made.
afterAll(() => expect(compared).toBeGreaterThan(0));
