import { expect, test } from 'vitest';
import { modelFixture } from '../../testing/model-fixture.ts';
import { setModelConfig } from '../transactions/set-model-config.ts';
import { modelRecord } from './agent-records.ts';

test('agents get durations in milliseconds, by default and as they are set', async () => {
  await using fixture = await modelFixture();
  expect(modelRecord(fixture.view(), [])).toMatchObject({
    updateStatusIntervalMs: 300_000,
    hookTimeoutMs: 0,
  });
  const set = { 'update-status-hook-interval': '1m', 'hook-timeout': '2m' };
  await fixture.store.change(
    (tx) =>
      setModelConfig(tx, {
        uuid: fixture.uuid,
        set,
        reset: [],
        inherited: {},
        builtIn: {},
        provider: {},
        upgrade: (config) => config,
      }),
    'test',
  );
  expect(modelRecord(fixture.view(), [])).toMatchObject({
    updateStatusIntervalMs: 60_000,
    hookTimeoutMs: 120_000,
  });
});
