/** `npm run sim -- --forecasts` tries many. */
import { afterAll, expect, test } from 'vitest';
import { some } from '../thorough.ts';
import { tryForecast } from './forecasts.ts';

const seeds = Array.from({ length: 40 }, (_, n) => n + 1);

/** Copied between a status that a charm sets in start, and the end of that hook. */
const withinStart = 181;
/** A machine with a container reboots; a container is lost. */
const withContainers = [67, 43];

let compared = 0;

test.each([...some(seeds, 3), withinStart, ...withContainers])(
  'the forecast of seed %i comes true',
  async (seed) => {
    const { facts, differences } = await tryForecast(seed);
    expect(differences).toEqual([]);
    compared += facts.length;
  },
);

// A world may be without a model when the forecast is made.
afterAll(() => expect(compared).toBeGreaterThan(0));
