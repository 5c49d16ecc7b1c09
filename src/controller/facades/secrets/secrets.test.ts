/** Tests of users' secrets: what is refused to whom. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { secretWorld, type SecretWorld } from '../../../testing/secret-world.ts';

let callers: Callers;
let world: SecretWorld;
beforeEach(async () => {
  callers = await createCallers();
  world = await secretWorld(callers);
  for (const access of ['read', 'write'] as const) {
    await callers.addUser(access);
    await callers.grant(access, access);
  }
});
afterEach(() => callers[Symbol.asyncDispose]());

const denied = { code: 'unauthorized access' };
const data = (text: string): Record<string, string> => ({ token: Buffer.from(text).toString('base64') });

async function create(label: string, text = 'one', as = 'admin'): Promise<string> {
  const { results } = await callers.call<{ results: [{ result: string; error?: object }] }>(
    'Secrets',
    'CreateSecrets',
    {
      args: [
        { UpsertSecretArg: {}, 'owner-tag': `model-${callers.model}`, label, content: { data: data(text) } },
      ],
    },
    { as },
  );
  expect(results[0].error).toBeUndefined();
  return results[0].result;
}
const list = (filter: object, as = 'admin', reveal = false) =>
  callers.call<{ results: Record<string, unknown>[] }>(
    'Secrets',
    'ListSecrets',
    { 'show-secrets': reveal, filter },
    { as },
  );

test('users who read a model list its secrets, those who write change them, and admins see values', async () => {
  const uri = await create('api', 'one', 'write');
  const charms = await world.add('web/0', { label: 'pw', content: { password: 'YQ==' } });
  expect((await list({}, 'read')).results.map((secret) => secret['owner-tag'])).toEqual([
    `model-${callers.model}`,
    'application-web',
  ]);
  expect((await list({ 'owner-tag': 'application-web' }, 'read')).results).toHaveLength(1);
  expect((await list({ uri }, 'read')).results[0]).toMatchObject({
    label: 'api',
    'latest-revision-checksum': '',
  });
  for (const as of ['read', 'write']) await expect(list({}, as, true)).rejects.toMatchObject(denied);
  expect((await list({ uri: charms }, 'admin', true)).results[0]).toMatchObject({
    value: { data: { password: 'YQ==' } },
    'rotate-policy': 'never',
  });
  await expect(
    callers.call('Secrets', 'RemoveSecrets', { args: [{ uri, label: '' }] }, { as: 'read' }),
  ).rejects.toMatchObject(denied);
});

test('a charm’s secret cannot be changed, granted or removed by a user', async () => {
  const uri = await world.add('web/0', { content: { password: 'YQ==' } });
  const results = { results: [{ error: { code: 'unauthorized access' } }] };
  expect(await callers.call('Secrets', 'RemoveSecrets', { args: [{ uri, label: '' }] })).toMatchObject(
    results,
  );
  const grant = { uri, label: '', applications: ['db'] };
  for (const method of ['GrantSecret', 'RevokeSecret'])
    expect(await callers.call('Secrets', method, grant)).toMatchObject(results);
  const update = { UpsertSecretArg: {}, uri, 'existing-label': '', description: 'x' };
  expect(await callers.call('Secrets', 'UpdateSecrets', { args: [update] })).toMatchObject(results);
  expect(
    await callers.call('Secrets', 'CreateSecrets', {
      args: [{ UpsertSecretArg: {}, 'owner-tag': 'application-web', content: { data: data('x') } }],
    }),
  ).toMatchObject(results);
});

test('an update with an empty new name, as python-libjuju sends it, keeps the name', async () => {
  await create('api');
  const update = { 'existing-label': 'api', label: '', content: { data: data('two') } };
  expect(
    await callers.call('Secrets', 'UpdateSecrets', { args: [{ UpsertSecretArg: {}, uri: '', ...update }] }),
  ).toMatchObject({ results: [{}] });
  expect((await list({ label: 'api' })).results).toMatchObject([{ label: 'api', 'latest-revision': 2 }]);
});

test('a granted application reads a user’s secret; with auto-prune a revision goes with the last unit that tracks it', async () => {
  const uri = await create('api');
  const id = uri.slice('secret:'.length);
  await expect(world.read('web/0', { id })).rejects.toMatchObject(denied);
  await callers.call('Secrets', 'GrantSecret', { uri: '', label: 'api', applications: ['web'] });
  for (const unit of ['web/0', 'web/1'])
    expect(await world.read(unit, { id })).toMatchObject({ content: data('one') });
  await callers.call('Secrets', 'UpdateSecrets', {
    args: [
      { UpsertSecretArg: {}, uri, 'existing-label': '', 'auto-prune': true, content: { data: data('two') } },
    ],
  });
  await world.read('web/0', { id, refresh: true });
  expect(world.revisions(id)).toEqual(['1', '2']);
  await world.read('web/1', { id, refresh: true });
  expect(world.revisions(id)).toEqual(['2']);
  expect(await world.own('web/0'), 'it is not the charm’s own').toEqual([]);
  await callers.call('Secrets', 'RevokeSecret', { uri, label: '', applications: ['web'] });
  await expect(world.read('web/0', { id })).rejects.toMatchObject(denied);
});

test('an answer with values of secrets is no longer than the limit', async () => {
  const long = 'A'.repeat(limits.secretContent.max - 4);
  for (let n = 0; n <= limits.secretsOfAnswer.max / long.length; n++)
    await callers.call('Secrets', 'CreateSecrets', {
      args: [{ 'owner-tag': `model-${callers.model}`, label: `s${n}`, content: { data: { token: long } } }],
    });
  await expect(list({}, 'admin', true)).rejects.toMatchObject({ code: 'quota limit exceeded' });
  expect((await list({ label: 's0' }, 'admin', true)).results).toHaveLength(1);
  expect((await list({})).results.length).toBeGreaterThan(30);
});
