import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from '../../controller/sealer.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { createSimulatedProvider } from '../../providers/simulated/index.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import { createEnvirons } from './environs.ts';

test('with a credential that was revoked everything fails for that reason, charm profiles too', async () => {
  await using model = await modelFixture();
  const provider = createSimulatedProvider();
  const { environ } = createEnvirons({
    store: model.store,
    providers: new Map([[provider.type, provider]]),
    stateDir: '/nowhere',
    dataDir: '/nowhere',
    sealer: createSealer(createSecretKey(randomBytes(32))),
    clock: systemClock,
    log: silentLog,
  });
  const key = 'sim admin main';
  const credential = { name: 'main', owner: 'admin', cloud: 'sim', authType: 'empty', attributes: {} };
  await model.change((tx) => {
    const root = tx.in('');
    root.put('credential', key, { ...credential, revoked: true });
    root.put('model', model.uuid, { ...root.get('model', model.uuid)!, credential: key });
  });
  const signal = new AbortController().signal;
  const refused = environ(model.uuid, model.store.read());
  const refusal = { class: 'credential', message: expect.stringContaining('is revoked') as string };
  await expect(refused.instances.list(signal)).rejects.toMatchObject(refusal);
  // The one who assigns them takes a cloud without them to want none, and does not come back.
  await expect(refused.profiles?.assign('i-0', [], signal)).rejects.toMatchObject(refusal);
  await model.change((tx) => tx.in('').put('credential', key, credential));
  expect(await environ(model.uuid, model.store.read()).instances.list(signal)).toEqual([]);
});
