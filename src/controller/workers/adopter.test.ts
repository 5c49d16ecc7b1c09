import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../testing/call.ts';
import { migrationServices } from '../migration/services.ts';
import { Adopter } from './adopter.ts';

const one = { from: 'far', ticket: '', machines: 0, at: new Date(0).toISOString() };

async function servicesOf({ context }: Callers, environ: (model: string) => unknown) {
  const { services: all } = context;
  const uploadsDir = await mkdtemp(join(tmpdir(), 'grigri-adopter-'));
  onTestFinished(() => rm(uploadsDir, { recursive: true }));
  const own = { ...migrationServices({ uploadsDir, blobs: all.blobs }), environ: environ as () => Environ };
  return { ...all, ...own };
}

test('an arrival that nobody ends is forgotten although the machines of another model cannot be taken over', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  const services = await servicesOf(callers, () => {
    throw new Error('out of order');
  });
  await store.change((tx) => {
    tx.put('arrival', model, { ...one, model, migration: `${model}:0`, state: 'adopting' });
    tx.put('arrival', 'stale', { ...one, model: 'stale', migration: 'stale:0', state: 'arriving' });
  }, 'test');
  const adopter = new Adopter({ store, services, wake: () => undefined });
  await expect(adopter.pass(new AbortController().signal)).rejects.toThrow('out of order');
  adopter.stop();
  expect(store.read().get('arrival', model)?.problem).toBe('the machines cannot be taken over: out of order');
  expect(store.read().get('arrival', 'stale')).toBeUndefined();
});

test('a cloud that does not answer holds up no other model, and its model says so', async () => {
  await using callers = await createCallers();
  const { store, model, controllerModel } = callers;
  const adopted = Promise.withResolvers<void>();
  const services = {
    ...(await servicesOf(callers, (of) => ({
      migration: { adopt: () => (of === model ? new Promise(() => undefined) : Promise.resolve()) },
    }))),
    // The time is over when the other model has been taken over.
    clock: { ...systemClock, sleep: (ms: number) => (ms === 120_000 ? adopted.promise : Promise.resolve()) },
  };
  const end = services.dispatch.on('', 'arrival', ({ after }) => {
    if (after?.state === 'here') adopted.resolve();
  });
  await store.change((tx) => {
    for (const each of [model, controllerModel])
      tx.put('arrival', each, { ...one, model: each, migration: `${each}:0`, state: 'adopting' });
  }, 'test');
  const adopter = new Adopter({ store, services, wake: () => undefined });
  await expect(adopter.pass(new AbortController().signal)).rejects.toThrow('has not answered for 2 minutes');
  adopter.stop();
  end();
  expect(store.read().get('arrival', controllerModel)?.state).toBe('here');
  expect(store.read().get('arrival', model)).toMatchObject({
    state: 'adopting',
    problem: 'the machines cannot be taken over: the cloud has not answered for 2 minutes',
  });
});

test('a model that arrives while a cloud does not answer is taken over, and the cloud is asked once meanwhile', async () => {
  await using callers = await createCallers();
  const { store, model, controllerModel } = callers;
  const asked: string[] = [];
  const begun = Promise.withResolvers<void>();
  const adopted = Promise.withResolvers<void>();
  const environ = (of: string) => ({
    migration: {
      adopt: () => {
        asked.push(of);
        if (of !== model) return Promise.resolve();
        begun.resolve();
        return new Promise<void>(() => undefined);
      },
    },
  });
  const services = await servicesOf(callers, environ);
  const end = services.dispatch.on('', 'arrival', ({ after }) => {
    if (after?.state === 'here') adopted.resolve();
  });
  const arrive = (of: string) =>
    store.change(
      (tx) => tx.put('arrival', of, { ...one, model: of, migration: `${of}:0`, state: 'adopting' }),
      'test',
    );
  const { log, random } = services;
  const options = { name: 'adopter', clock: systemClock, log, random };
  const adopter = new Adopter({ store, services, wake: () => worker.wake() });
  const worker = new Reconciler({ ...options, pass: (signal) => adopter.pass(signal) });
  await arrive(model);
  worker.start();
  await begun.promise;
  await arrive(controllerModel);
  await adopted.promise;
  adopter.stop();
  await worker.stop();
  end();
  expect(asked).toEqual([model, controllerModel]);
  expect(store.read().get('arrival', model)?.state).toBe('adopting');
});
