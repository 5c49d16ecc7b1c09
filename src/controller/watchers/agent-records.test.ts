import { expect, test } from 'vitest';
import { modelFixture } from '../../testing/model-fixture.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { setConfig } from '../../testing/set-config.ts';
import { related, twoModels, type Side } from '../../testing/two-models.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import {
  applicationRecord,
  machineRecord,
  modelRecord,
  relationRecord,
  unitRecord,
} from './agent-records.ts';

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

test('agents are told what is removed by force, and only that', async () => {
  await using fixture = await modelFixture();
  await fixture.deploy('mysql', { numUnits: 2 });
  const forced = () => {
    const view = fixture.view();
    return [
      applicationRecord(view, view.get('application', 'mysql')!)?.forced,
      ...['mysql/0', 'mysql/1'].map((name) => unitRecord(view, view.get('unit', name)!).forced),
    ];
  };
  await fixture.change((tx) => {
    for (const name of ['mysql/0', 'mysql/1'])
      tx.put('unit', name, { ...tx.get('unit', name)!, deployed: true });
  });
  expect(forced()).toEqual([undefined, undefined, undefined]);
  const force = { maxWaitMs: 60_000, by: 'user-admin' };
  await fixture.change((tx) => destroyUnit(tx, { unit: 'mysql/0', force }));
  expect(forced()).toEqual([undefined, true, undefined]);
  await fixture.change((tx) => destroyApplication(tx, { application: 'mysql', force }));
  expect(forced()).toEqual([true, true, undefined]);
});

test('agents of both sides of an offer are told the model of the other application', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming } = world;
  const models = ({ view }: Side, application: string): string[] =>
    [...view().find('relation', 'application', application)].flatMap((relation) =>
      relationRecord(view(), relation).endpoints.map(({ model }) => model ?? 'own'),
    );
  expect(models(consuming, 'wordpress').sort()).toEqual([offering.uuid, 'own'].sort());
  expect(models(offering, 'mysql').sort()).toEqual([consuming.uuid, 'own', 'own'].sort());
});

test('an instance that comes up before its start is recorded counts as one without the profiles of charms', async () => {
  await using fixture = await modelFixture();
  await fixture.deploy('mysql');
  const profiles = (): readonly string[] | undefined => {
    const view = fixture.view();
    return machineRecord(view, view.get('machine', '0')!).profiles;
  };
  const record = (fields: Partial<MachineDoc>): Promise<void> =>
    fixture.change((tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, ...fields }));
  expect(profiles()).toEqual([]);
  const instance = { id: 'i-0', displayName: '', hardware: {}, isolation: '' };
  await record({ instance: { ...instance, profiles: ['juju-cache-1'] } });
  expect(profiles()).toEqual(['juju-cache-1']);
  await record({ instance });
  expect(profiles(), 'a cloud without profiles').toBeUndefined();
});
