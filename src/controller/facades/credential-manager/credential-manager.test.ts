import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const invalidate = (reason?: string): Promise<unknown> =>
  callers.call('CredentialManager', 'InvalidateModelCredential', reason === undefined ? {} : { reason });
const useCredential = (): Promise<void> =>
  callers.store.change((tx) => {
    tx.put('credential', 'home_admin_key', {
      cloud: 'home',
      owner: 'admin',
      name: 'key',
      authType: 'empty',
      attributes: {},
    });
    tx.put('model', callers.model, { ...tx.get('model', callers.model)!, credential: 'home_admin_key' });
  }, 'test');
const shown = async (): Promise<unknown> => {
  const { results } = await callers.call<{ results: { result: Record<string, unknown> }[] }>(
    'ModelManager',
    'ModelInfo',
    { entities: [{ tag: `model-${callers.model}` }] },
  );
  const { result } = results[0]!;
  return [result['cloud-credential-tag'], result['cloud-credential-validity']];
};

test('an invalidated credential keeps its attributes and is shown as invalid until it is updated', async () => {
  await useCredential();
  expect(await shown()).toEqual(['cloudcred-home_admin_key', true]);
  expect(await invalidate('the cloud says 401')).toEqual({});
  expect(await shown()).toEqual(['cloudcred-home_admin_key', false]);
  expect(callers.view().in('').get('credential', 'home_admin_key')).toMatchObject({
    revoked: true,
    invalidReason: 'the cloud says 401',
  });
  await callers.call('Cloud', 'UpdateCredentialsCheckModels', {
    credentials: [{ tag: 'cloudcred-home_admin_key', credential: { 'auth-type': 'empty' } }],
    force: false,
  });
  expect(await shown()).toEqual(['cloudcred-home_admin_key', true]);
});

test('a model without a credential has none to invalidate', async () => {
  await expect(invalidate('x')).rejects.toMatchObject({ code: 'not found' });
});

test('a reason at its limit is kept, a longer one is refused', async () => {
  await useCredential();
  expect(await invalidate('x'.repeat(limits.invalidReason.max))).toEqual({});
  await expect(invalidate('x'.repeat(limits.invalidReason.max + 1))).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
});
