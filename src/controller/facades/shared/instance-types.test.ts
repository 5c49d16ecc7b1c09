import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
  await callers.addUser('bob');
});
afterAll(() => callers[Symbol.asyncDispose]());

const none = { error: { code: 'not supported', message: 'InstanceTypes not supported' } };

test('a model says for each constraints that its cloud has no types of instances', async () => {
  expect(
    await callers.call('MachineManager', 'InstanceTypes', { constraints: [{}, { value: { mem: 4096 } }] }),
  ).toEqual({ results: [none, none] });
});

test('a cloud says for each constraints that it has no types of instances, to users who may know of the cloud', async () => {
  const constraints = ['home', 'nine'].map((cloud) => ({ 'cloud-tag': `cloud-${cloud}`, region: 'here' }));
  const missing = (name: string): object => ({
    error: { code: 'not found', message: `cloud "${name}" not found` },
  });
  expect(await callers.call('Cloud', 'InstanceTypes', { constraints })).toEqual({
    results: [none, missing('nine')],
  });
  expect(await callers.call('Cloud', 'InstanceTypes', { constraints }, { as: 'bob' })).toEqual({
    results: [missing('home'), missing('nine')],
  });
});
