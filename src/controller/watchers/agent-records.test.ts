import { expect, test } from 'vitest';
import { modelFixture } from '../../testing/model-fixture.ts';
import { setConfig } from '../../testing/set-config.ts';
import { modelRecord } from './agent-records.ts';

test('agents get durations in milliseconds, both defaults and set values', async () => {
  await using fixture = await modelFixture();
  expect(modelRecord(fixture.view(), [])).toMatchObject({
    updateStatusIntervalMs: 300_000,
    hookTimeoutMs: 0,
  });
  const set = { 'update-status-hook-interval': '1m', 'hook-timeout': '2m' };
  await fixture.change((tx) => setConfig(tx, set));
  expect(modelRecord(fixture.view(), [])).toMatchObject({
    updateStatusIntervalMs: 60_000,
    hookTimeoutMs: 120_000,
  });
});

test('agents get the proxies of their machines, and reach controllers without them', async () => {
  await using fixture = await modelFixture();
  await fixture.change((tx) =>
    setConfig(tx, {
      'http-proxy': 'http://p:1',
      'snap-https-proxy': 's:2',
      'enable-os-refresh-update': 'false',
    }),
  );
  expect(modelRecord(fixture.view(), ['10.0.0.9:17070', '[fd00::9]:17070'])?.system).toMatchObject({
    proxies: { http: 'http://p:1', https: '', no: '127.0.0.1,localhost,::1,10.0.0.9,fd00::9' },
    aptProxies: { http: 'http://p:1' },
    snapProxies: { http: 'http://p:1', https: 'http://s:2' },
    refresh: false,
  });
});
