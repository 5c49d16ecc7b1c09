import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from '../../controller/sealer.ts';
import { forgetRemovedModel, removeModel } from '../../controller/transactions/end/remove-model.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import type { Provider, ProviderConfig } from '../../providers/contract/provider.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { validateConfig } from '../../providers/toolkit/validate-config.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { Environs } from './environs.ts';

function environsOf({ store }: Pick<ModelFixture, 'store'>, provider: Provider): Environs {
  return new Environs({
    store,
    providers: new Map([[provider.type, provider]]),
    stateDir: '/nowhere',
    dataDir: '/nowhere',
    sealer: createSealer(createSecretKey(randomBytes(32))),
    clock: systemClock,
    log: silentLog,
  });
}

test("A provider is opened with its defaults, overridden by the cloud's settings, overridden by the model's", async () => {
  await using model = await modelFixture();
  const simulated = createSimulatedProvider();
  const opened: ProviderConfig[] = [];
  const provider: Provider = {
    ...simulated,
    config: {
      init: { type: 'string', description: 'of nobody', default: 'minimal' },
      size: { type: 'int', description: 'of the cloud', default: 1 },
      place: { type: 'string', description: 'of the model', default: 'here' },
    },
    validate: (config) => validateConfig(provider.config, config),
    open(params) {
      opened.push(params.config);
      return simulated.open({ ...params, config: simulated.validate({}) });
    },
  };
  await model.change((tx) => {
    const root = tx.in('');
    const doc = root.get('model', model.uuid)!;
    const cloud = root.get('cloud', doc.cloud)!;
    root.put('cloud', doc.cloud, { ...cloud, config: { size: '2', place: 'there' } });
    root.put('model', model.uuid, { ...doc, config: { ...doc.config, place: 'elsewhere' } });
  });
  environsOf(model, provider).environ(model.uuid, model.store.read());
  expect(opened).toEqual([{ init: 'minimal', size: 2, place: 'elsewhere' }]);
});

test('A model is opened again when its controller keeps backups in another folder, which no machine may see', async () => {
  await using model = await modelFixture();
  const simulated = createSimulatedProvider();
  const hidden: unknown[] = [];
  const provider: Provider = {
    ...simulated,
    open(params) {
      hidden.push([params.privateDirs, params.archivesDir]);
      return simulated.open(params);
    },
  };
  const environs = environsOf(model, provider);
  const open = (): unknown => environs.environ(model.uuid, model.store.read());
  open();
  await model.change((tx) => {
    const root = tx.in('');
    const controller = root.get('model', root.get('controller', 'self')!.modelUuid)!;
    root.put('model', controller.uuid, {
      ...controller,
      config: { ...controller.config, 'backup-dir': '/srv/backups' },
    });
  });
  open();
  open();
  expect(hidden).toEqual([
    [['/nowhere'], undefined],
    [['/nowhere'], '/srv/backups'],
  ]);
});

test('A revoked credential fails every call with that reason, including those for charm profiles', async () => {
  await using model = await modelFixture();
  const provider = createSimulatedProvider();
  const environs = environsOf(model, provider);
  const key = 'sim admin main';
  const credential = { name: 'main', owner: 'admin', cloud: 'sim', authType: 'empty', attributes: {} };
  await model.change((tx) => {
    const root = tx.in('');
    root.put('credential', key, { ...credential, revoked: true });
    root.put('model', model.uuid, { ...root.get('model', model.uuid)!, credential: key });
  });
  const signal = new AbortController().signal;
  const refused = environs.environ(model.uuid, model.store.read());
  const refusal = { class: 'credential', message: expect.stringContaining('is revoked') as string };
  await expect(refused.instances.list(signal)).rejects.toMatchObject(refusal);
  // The worker that assigns profiles would take a missing capability for completed work, and not retry.
  await expect(refused.profiles?.assign('i-0', [], signal)).rejects.toMatchObject(refusal);
  await model.change((tx) => tx.in('').put('credential', key, credential));
  expect(await environs.environ(model.uuid, model.store.read()).instances.list(signal)).toEqual([]);
});

test('A removed model that is looked for is opened with the cloud and the settings that it had', async () => {
  await using model = await modelFixture();
  const simulated = createSimulatedProvider();
  const opened: [string, ProviderConfig][] = [];
  const provider: Provider = {
    ...simulated,
    open(params) {
      opened.push([params.modelUuid, params.config]);
      return simulated.open(params);
    },
  };
  const environs = environsOf(model, provider);
  await model.store.change((tx) => {
    const root = tx.in('');
    const doc = root.get('model', model.uuid)!;
    root.put('model', model.uuid, { ...doc, config: { ...doc.config, quota: 7 } });
    removeModel(root, model.uuid, { lookAgain: true });
  }, 'test');
  environs.environ(model.uuid, model.store.read());
  expect(opened).toMatchObject([[model.uuid, { quota: 7 }]]);
  await model.store.change((tx) => forgetRemovedModel(tx.in(''), model.uuid), 'test');
  expect(() => environs.environ(model.uuid, model.store.read())).toThrow('not found');
});
