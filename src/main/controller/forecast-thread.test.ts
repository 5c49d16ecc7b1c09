import { expect, test } from 'vitest';
import type { ForecastInput } from '../../core/forecast/forecast.ts';
import { Forecasts } from '../../controller/forecasts/forecasts.ts';
import { createCallers } from '../../testing/call.ts';
import { playFor, playInThread } from './forecast-thread.ts';

test('a forecast is played in a thread, which ends with its connection', async () => {
  await using callers = await createCallers({ forecasts: new Forecasts(playInThread) });
  await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  const params = { events: ['5m: machine 0 is lost'], horizon: 600 };
  const made = await callers.call<{ end: object }>('Forecasts', 'Make', params);
  expect(made.end).toEqual({ units: { all: 0, well: 0 }, machines: { all: 1, well: 0 } });
  const connection = callers.connect('10.0.0.7');
  const second = callers.call('Forecasts', 'Make', params, { connection });
  setTimeout(() => connection.end(), 20);
  await expect(second).rejects.toMatchObject({ code: 'stopped' });
});

test('a thread that fails says why', async () => {
  const broken = { horizonMs: 1, wallMs: 1, events: [], documents: 5 } as unknown as ForecastInput;
  const { signal } = new AbortController();
  await expect(playInThread(broken, signal)).rejects.toThrow(/^the forecast failed: /);
});

test('a thread that goes on beyond its time is ended', async () => {
  const input = { horizonMs: 1, wallMs: 60_000, events: [], documents: 5 } as unknown as ForecastInput;
  const { signal } = new AbortController();
  // No thread has begun within a millisecond.
  await expect(playFor(1, input, signal)).rejects.toMatchObject({
    code: 'quota limit exceeded',
    message: 'forecast: it needs more than 0.001 seconds: choose a shorter horizon',
  });
});
