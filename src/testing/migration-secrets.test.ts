/** A model whose secrets are in a Vault: it does not go before they are back, and then takes them along. */
import { expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import type { TestController } from './controller.ts';
import { eventually } from './eventually.ts';
import { FakeVault } from './fake-vault.ts';
import { migrationWorld } from './migration-world.ts';

const choose = (admin: Connection, backend: string): Promise<unknown> =>
  admin.call('ModelConfig', 'ModelSet', { config: { 'secret-backend': backend } });

async function addVault(controller: TestController, { endpoint }: FakeVault): Promise<void> {
  const admin = await controller.connect();
  const config = { endpoint, token: 'root' };
  const args = [{ name: 'myvault', 'backend-type': 'vault', config }];
  expect(await admin.call('SecretBackends', 'AddSecretBackends', { args })).toEqual({ results: [{}] });
  await admin.close();
}

test('a model with secrets in a Vault moves once they are back, and may keep them in the target’s Vault', async () => {
  await using vault = await FakeVault.start();
  await using theirs = await FakeVault.start();
  await using world = await migrationWorld({ machines: 1 });
  const { source, target, model } = world;
  await addVault(source, vault);
  await addVault(target, theirs);
  const admin = await source.connect(model);
  await choose(admin, 'myvault');
  const password = btoa('n33dle');
  await admin.call('Secrets', 'CreateSecrets', {
    args: [{ 'owner-tag': '', label: 'pw', content: { data: { password } } }],
  });
  const keys = (): string[] =>
    [...source.running().store.read().in(model).list('secret-revision')].map(({ content }) => content);
  expect(keys()).toEqual([expect.stringContaining(':')]);
  const whatToDo = 'let the model use backend internal (model-secret-backend)';
  const refused = async (): Promise<string> => (await world.begin(true)).error?.message ?? '';
  expect(await refused()).toContain(`model keeps its secrets in backend myvault: ${whatToDo}`);
  const answers = Promise.withResolvers<void>();
  vault.onRead = () => answers.promise;
  await choose(admin, 'internal');
  expect(await refused()).toMatch(/^secret \w+ is kept in secret backend myvault: let the model use/);
  answers.resolve();
  await eventually(() => expect(keys().filter((key) => key.includes(':'))).toEqual([]));
  await admin.close();

  await world.begin();
  await world.until('DONE');
  await world.expectAt('target');
  const moved = await target.connect(model);
  const reveal = async (): Promise<unknown> => {
    const { results } = await moved.call<{ results: { value: { data: unknown } }[] }>(
      'Secrets',
      'ListSecrets',
      {
        'show-secrets': true,
        filter: {},
      },
    );
    return results.map(({ value }) => value.data);
  };
  expect(await reveal()).toEqual([{ password }]);
  await choose(moved, 'myvault');
  const arrived = () => [...target.running().store.read().in(model).list('secret-revision')];
  await eventually(() => expect(arrived().every(({ content }) => content.includes(':'))).toBe(true));
  expect(await reveal()).toEqual([{ password }]);
  await moved.close();
});
