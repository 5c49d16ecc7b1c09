import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCallers } from '../../testing/call.ts';
import { migrationServices } from '../migration/services.ts';
import { Adopter } from './adopter.ts';

test('an arrival that nobody ends is forgotten although the machines of another model cannot be taken over', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  const refuse = (): never => {
    throw new Error('out of order');
  };
  const uploadsDir = await mkdtemp(join(tmpdir(), 'grigri-adopter-'));
  onTestFinished(() => rm(uploadsDir, { recursive: true }));
  const { services: all } = callers.context;
  const services = { ...all, ...migrationServices({ uploadsDir, blobs: all.blobs }), environ: refuse };
  await store.change((tx) => {
    const at = new Date(0).toISOString();
    const one = { from: 'far', ticket: '', machines: 0, at };
    tx.put('arrival', model, { ...one, model, migration: `${model}:0`, state: 'adopting' });
    tx.put('arrival', 'stale', { ...one, model: 'stale', migration: 'stale:0', state: 'arriving' });
  }, 'test');
  const adopter = new Adopter({ store, services, wake: () => undefined });
  await expect(adopter.pass(new AbortController().signal)).rejects.toThrow('out of order');
  adopter.stop();
  expect(store.read().get('arrival', model)?.problem).toBe('the machines cannot be taken over: out of order');
  expect(store.read().get('arrival', 'stale')).toBeUndefined();
});
