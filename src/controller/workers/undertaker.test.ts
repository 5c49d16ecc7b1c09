import { offerDoc, useOf } from '../../testing/offers.ts';
import { expect, test } from 'vitest';
import { statusId } from '../../core/status.ts';
import { createLog } from '../../kit/log.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { end, provision, settle } from '../../testing/steps.ts';
import type { Services } from '../services.ts';
import type { ForceRequest } from '../transactions/end/force.ts';
import { destroyModel } from '../transactions/end/destroy-model.ts';
import { setMachineDead } from '../transactions/end/remove-machine.ts';
import { forgetMachine } from '../transactions/end/forget-machine.ts';
import { Undertaker } from './undertaker.ts';
import { defined } from '../../core/defined.ts';

/** Runs one pass and notes its effects outside of the store. */
function undertakerOf(...args: Parameters<typeof newUndertaker>): () => Promise<void> {
  const undertaker = newUndertaker(...args);
  return () => undertaker.pass(new AbortController().signal);
}

function newUndertaker(model: ModelFixture, did: string[] = [], refuse: () => string = () => ''): Undertaker {
  return new Undertaker({
    store: model.store,
    // Services that the undertaker uses.
    services: {
      log: createLog('test', () => undefined, model.now),
      logs: { remove: () => did.push('logs removed') },
      environ: () => ({
        destroyModel: () => {
          did.push(`provider asked while there were ${model.view().count('machine')} machines`);
          const why = refuse();
          return why === '' ? Promise.resolve() : Promise.reject(new ProviderError('transient', why));
        },
      }),
    } as unknown as Services,
    modelUuid: model.uuid,
    mayCallsCome: () => false,
  });
}

function destroy(model: ModelFixture, force?: ForceRequest): Promise<{ warnings: string[] }> {
  return model.store.change((tx) => destroyModel(tx, { uuid: model.uuid, ...defined({ force }) }), 'test');
}

async function running(model: ModelFixture): Promise<void> {
  await model.deploy('mysql', { numUnits: 2 });
  await provision(model, '0', '1');
  await settle(model, 'mysql/0', 'mysql/1');
}

test('changes in a model wake the undertaker once the model is dying', async () => {
  await using model = await modelFixture();
  const undertaker = newUndertaker(model);
  expect(undertaker.ignores(), 'before the first look').toBe(false);
  await undertaker.pass(new AbortController().signal);
  expect(undertaker.ignores()).toBe(true);
  await running(model);
  await destroy(model);
  await undertaker.pass(new AbortController().signal);
  expect(undertaker.ignores()).toBe(false);
});

test('the contents of a model die in order, and the record goes last', async () => {
  await using model = await modelFixture();
  await running(model);
  const did: string[] = [];
  const undertake = undertakerOf(model, did);
  const clean = cleanerOf(model);
  await undertake();
  expect(model.view().get('application', 'mysql')?.life, 'nobody has asked for it').toBe('alive');
  await destroy(model);
  await undertake();
  await clean();
  expect([...model.view().list('machine')].map(({ life }) => life)).toEqual(['dying', 'dying']);
  await end(model, 'mysql/0');
  await end(model, 'mysql/1');
  await model.change((tx) => {
    setMachineDead(tx, '0');
    forgetMachine(tx, '0');
  });
  await undertake();
  expect(model.view().in('').get('model', model.uuid)?.life).toBe('dying');
  expect(did).toEqual([]);
  await model.change((tx) => {
    setMachineDead(tx, '1');
    forgetMachine(tx, '1');
  });
  await undertake();
  expect(model.view().in('').get('model', model.uuid)).toBeUndefined();
  expect(did).toEqual(['provider asked while there were 0 machines', 'logs removed']);
});

test('a refusal of the cloud is shown with the model, which goes when the cloud permits it', async () => {
  await using model = await modelFixture();
  let why = 'no answer';
  const undertake = undertakerOf(model, [], () => why);
  await destroy(model);
  await expect(undertake()).rejects.toThrow('no answer');
  expect(model.view().get('status', statusId('model', ''))).toMatchObject({
    status: 'destroying',
    message: 'no answer',
  });
  why = '';
  await undertake();
  expect(model.view().in('').get('model', model.uuid)).toBeUndefined();
});

test('a forced model is gentle until its deadline, which applies to everything in it', async () => {
  await using model = await modelFixture();
  await running(model);
  const { warnings } = await destroy(model, { maxWaitMs: 60_000, by: 'user-admin' });
  expect(warnings).toEqual([
    'remaining entities are removed at 2026-01-01T00:01:00.000Z without waiting for agents:',
    'removed without stop and remove hooks: mysql/0, mysql/1',
    'removed from relation "mysql:cluster" without departed and broken hooks: mysql/0, mysql/1',
    'instances that are still to be released: i-0, i-1',
  ]);
  const undertake = undertakerOf(model);
  const clean = cleanerOf(model);
  model.advance(20_000);
  await undertake();
  await clean();
  const force = { deadline: '2026-01-01T00:01:00.000Z', by: 'user-admin' };
  expect([...model.view().list('unit')].map(({ life }) => life)).toEqual(['dying', 'dying']);
  expect(model.view().get('machine', '0')).toMatchObject({ life: 'dying', force });
  expect(model.view().get('application', 'mysql')).toMatchObject({ life: 'dying', force });
  model.advance(40_000);
  await clean();
  expect(model.view().count('unit') + model.view().count('application')).toBe(0);
  expect([...model.view().list('machine')].map(({ life }) => life)).toEqual(['dead', 'dead']);
});

test('a force after a gentle start reaches everything that is already dying', async () => {
  await using model = await modelFixture();
  await running(model);
  const undertake = undertakerOf(model);
  await destroy(model);
  await undertake();
  await cleanerOf(model)();
  await destroy(model, { maxWaitMs: 0, by: 'user-admin' });
  await undertake();
  await cleanerOf(model)();
  expect(model.view().count('unit') + model.view().count('application')).toBe(0);
  expect([...model.view().list('machine')].map(({ life }) => life)).toEqual(['dead', 'dead']);
});

test('a refused machine does not stop others, and used offers do not keep a model', async () => {
  await using model = await modelFixture();
  await running(model);
  await model.change((tx) => {
    tx.put('machine', '0/lxd/0', { ...tx.get('machine', '0')!, id: '0/lxd/0', parent: '0' });
    const offer = offerDoc('db', 'mysql');
    tx.put('offer', 'db', offer);
    tx.put('relation', '7', useOf(offer, 7).relation);
  });
  await destroy(model);
  const undertake = undertakerOf(model);
  await undertake();
  const lifeOf = (id: string): string | undefined => model.view().get('machine', id)?.life;
  expect(['0', '0/lxd/0', '1'].map(lifeOf)).toEqual(['alive', 'dying', 'dying']);
  expect(model.view().get('application', 'mysql')?.life).toBe('dying');
  expect(model.view().count('offer')).toBe(0);
  await model.change((tx) => tx.remove('machine', '0/lxd/0'));
  await undertake();
  expect(lifeOf('0')).toBe('dying');
});
