/**
 * Access to methods that check each entity of a request, for entities that belong to somebody else. Each caller asks in
 * a world of its own, with the same arguments.
 */
import { expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { roles, type Role } from '../../testing/access-table.ts';
import { facades } from './index.ts';

const users = roles.slice(0, 5);
/** Lowest role with an answer; `none`: the callers of this test have no such entity, so all are told `not found`. */
type Lowest = Exclude<Role, 'agent' | 'controller'> | 'none';

interface World {
  readonly model: string;
  readonly call: Callers['call'];
}

const model = ({ model: uuid }: World) => `model-${uuid}`;
const models = (world: World) => ({ entities: [{ tag: model(world) }] });
const clouds = { entities: [{ tag: 'cloud-home' }] };
const someone = { entities: [{ tag: 'user-someone' }] };
const key = { 'auth-type': 'userpass', attrs: { username: 'u', password: 'p' } };
const keys = { credentials: [{ tag: 'cloudcred-home_someone_key', credential: key }] };
const urls = { 'offer-urls': ['admin/default.db'] };
const anyOffer = {
  'owner-name': 'admin',
  'model-name': 'default',
  'offer-name': '',
  'application-name': '',
  'application-description': '',
  'application-user': '',
  endpoints: [],
  'connected-users': [],
  'allowed-users': [],
};
const offerUuid = 'c0de0000-0000-4000-8000-000000000001';
const filters = { Filters: [anyOffer] };
const change = { 'user-tag': 'user-someone', action: 'grant', access: 'read' };

/** Arguments by method, and the lowest role that they are answered for. */
const table: Readonly<Record<string, readonly [Lowest, ((world: World) => unknown) | object]>> = {
  'Action.EnqueueOperation of a command as root': [
    'admin',
    { actions: [{ receiver: 'unit-mysql-0', name: 'juju-exec', parameters: {} }] },
  ],
  'Application.Consume': [
    'admin',
    (world) => ({
      args: [
        {
          'source-model-tag': model(world),
          'offer-uuid': offerUuid,
          'offer-url': 'admin/default.db',
          'offer-name': 'db',
          'application-alias': 'far',
        },
      ],
    }),
  ],
  'ApplicationOffers.ApplicationOffers': ['admin', urls],
  'ApplicationOffers.DestroyOffers': ['admin', urls],
  'ApplicationOffers.FindApplicationOffers': ['admin', filters],
  'ApplicationOffers.GetConsumeDetails': ['admin', { 'offer-urls': urls }],
  'ApplicationOffers.GetConsumeDetails of another user': [
    'superuser',
    { 'offer-urls': urls, 'user-tag': 'user-admin' },
  ],
  'ApplicationOffers.ListApplicationOffers': ['admin', filters],
  'ApplicationOffers.ModifyOfferAccess': [
    'admin',
    { changes: [{ ...change, 'offer-url': 'admin/default.db' }] },
  ],
  'ApplicationOffers.Offer': [
    'admin',
    (world) => ({
      Offers: [
        {
          'model-tag': model(world),
          'offer-name': 'other',
          'application-name': 'mysql',
          'application-description': '',
          endpoints: { server: 'server' },
        },
      ],
    }),
  ],
  'ApplicationOffers.RemoteApplicationInfo': ['admin', urls],
  'Cloud.AddCredentials': ['superuser', keys],
  'Cloud.CheckCredentialsModels': ['superuser', keys],
  'Cloud.Cloud': ['superuser', clouds],
  'Cloud.CloudInfo': ['superuser', clouds],
  'Cloud.Clouds': ['superuser', {}],
  'Cloud.Credential': ['superuser', { entities: [{ tag: 'cloudcred-home_someone_old' }] }],
  'Cloud.CredentialContents': ['superuser', { credentials: [], 'include-secrets': true }],
  'Cloud.InstanceTypes': [
    'superuser',
    { constraints: [{ 'cloud-tag': 'cloud-home', region: 'here', constraints: {} }] },
  ],
  'Cloud.ListCloudInfo': ['superuser', { 'user-tag': 'user-admin', all: true }],
  'Cloud.RemoveClouds': ['superuser', { entities: [{ tag: 'cloud-unused' }] }],
  'Cloud.RevokeCredentialsCheckModels': [
    'superuser',
    { credentials: [{ tag: 'cloudcred-home_someone_old', force: false }] },
  ],
  'Cloud.UpdateCredentialsCheckModels': ['superuser', { ...keys, force: false }],
  'Cloud.UserCredentials': [
    'superuser',
    { 'user-clouds': [{ 'user-tag': 'user-someone', 'cloud-tag': 'cloud-home' }] },
  ],
  'Controller.ControllerAPIInfoForModels': ['nobody', models],
  'Controller.ControllerConfig': ['nobody', {}],
  'Controller.ControllerVersion': ['nobody', {}],
  'Controller.DashboardConnectionInfo': ['none', {}],
  'Controller.GetControllerAccess': ['superuser', someone],
  'Controller.IdentityProviderURL': ['nobody', {}],
  'Controller.ModelStatus': ['admin', models],
  'Controller.WatchModelSummaries': ['nobody', {}],
  'Lives.ExplainUser': ['superuser', { tag: 'user-someone' }],
  'Lives.PlanModelRemoval': ['admin', (world) => ({ models: [{ 'model-tag': model(world) }] })],
  'LocalImages.List': ['nobody', {}],
  'ModelFiles.Join': ['none', (world) => ({ 'model-tag': model(world) })],
  'ModelManager.ChangeModelCredential': [
    'admin',
    (world) => ({
      'model-credentials': [{ 'model-tag': model(world), 'credential-tag': 'cloudcred-home_caller_old' }],
    }),
  ],
  'ModelManager.ChangeModelCredential to that of another user': [
    'superuser',
    (world) => ({
      'model-credentials': [{ 'model-tag': model(world), 'credential-tag': 'cloudcred-home_someone_old' }],
    }),
  ],
  'ModelManager.CreateModel': ['superuser', { name: 'new', 'owner-tag': 'user-someone' }],
  'ModelManager.DestroyModels': ['admin', (world) => ({ models: [{ 'model-tag': model(world) }] })],
  'ModelManager.DumpModels': ['admin', (world) => ({ ...models(world), simplified: false })],
  'ModelManager.DumpModelsDB': ['admin', models],
  'ModelManager.ListModelSummaries': ['superuser', { 'user-tag': 'user-admin', all: true }],
  'ModelManager.ListModels': ['superuser', { tag: 'user-admin' }],
  'ModelManager.ModelInfo': ['read', models],
  'ModelManager.ModelStatus': ['admin', models],
  'ModelManager.ModifyModelAccess': [
    'admin',
    (world) => ({ changes: [{ ...change, 'model-tag': model(world) }] }),
  ],
  'ModelSummaryWatcher.Next': ['none', {}],
  'ModelSummaryWatcher.Stop': ['nobody', {}],
  'ModelUpgrader.AbortModelUpgrade': ['write', (world) => ({ 'model-tag': model(world) })],
  'ModelUpgrader.UpgradeModel': [
    'write',
    (world) => ({ 'model-tag': model(world), 'target-version': '0.0.0', 'dry-run': true }),
  ],
  'SecretBackends.ListSecretBackends': ['nobody', { names: [], reveal: false }],
  'Secrets.ListSecrets': ['read', { 'show-secrets': false, filter: {} }],
  'Secrets.ListSecrets with their content': ['admin', { 'show-secrets': true, filter: {} }],
  'UserManager.ModelUserInfo': ['read', models],
  'UserManager.SetPassword': ['superuser', { changes: [{ tag: 'user-someone', password: 'sesame' }] }],
  'UserManager.UserInfo': ['superuser', someone],
};

test('the table has every method that checks the access to each entity of a request', () => {
  const served = facades.flatMap(({ spec, table: methods }) =>
    Object.entries(methods).flatMap(([method, { needs }]) =>
      needs === 'login' ? [`${spec.name}.${method}`] : [],
    ),
  );
  expect(Object.keys(table)).toEqual(expect.arrayContaining(served));
});

async function ask(role: Lowest, name: string, args: unknown): Promise<string> {
  await using callers = await createCallers();
  const { store, model: uuid } = callers;
  await callers.addUser('someone');
  await callers.addUser('caller', role === 'superuser' ? 'superuser' : 'login');
  if (role === 'read' || role === 'write' || role === 'admin') await callers.grant('caller', role);
  await callers.addCharm('mysql', { provides: { server: { interface: 'mysql' } } });
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'mysql', 'charm-url': 'local:mysql-0', 'num-units': 0 }],
  });
  await callers.call('Secrets', 'CreateSecrets', {
    args: [
      { UpsertSecretArg: {}, 'owner-tag': `model-${uuid}`, label: 's', content: { data: { token: 'YQ==' } } },
    ],
  });
  await store.change((tx) => {
    const credential = { cloud: 'home', name: 'old', authType: 'empty', attributes: {} };
    for (const owner of ['someone', 'caller'])
      tx.put('credential', `home_${owner}_old`, { owner, ...credential });
    tx.put('cloud', 'unused', { ...tx.get('cloud', 'home')!, name: 'unused' });
    tx.in(uuid).put('offer', 'db', {
      name: 'db',
      uuid: offerUuid,
      application: 'mysql',
      endpoints: { server: 'server' },
      description: '',
      createdAt: tx.now,
    });
  }, 'test');
  const [facade, method] = name.split(' ')[0]!.split('.') as [string, string];
  const answer: unknown = await callers
    .call(facade, method, args instanceof Function ? (args as (world: World) => unknown)(callers) : args, {
      as: 'caller',
    })
    .catch((error: unknown) => ({ error }));
  const code = firstCode(answer);
  // Any other error comes after the check of access.
  return isEmpty(answer) || code === 'unauthorized access' || code === 'not found' ? 'refused' : 'answered';
}

/** Code of the error of an answer, or of the first one of its results. */
function firstCode(answer: unknown): string | undefined {
  type Failed = { readonly error?: { readonly code: string } };
  const { error, results, models: statuses } = answer as Failed & Record<string, readonly Failed[]>;
  return (error ?? (results ?? statuses)?.find((one) => one.error)?.error)?.code;
}

/** Whether the answer is a list without anything. */
function isEmpty(answer: unknown): boolean {
  const [only, ...others] = Object.values(answer as object) as unknown[];
  return others.length === 0 && typeof only === 'object' && only !== null && Object.keys(only).length === 0;
}

test.each(Object.entries(table))('%s', async (name, [lowest, args]) => {
  const answers: Record<string, string> = {};
  for (const role of users) answers[role] = await ask(role as Lowest, name, args);
  const from = (users as readonly string[]).indexOf(lowest);
  const expected = users.map((role, n) => [role, from >= 0 && n >= from ? 'answered' : 'refused']);
  expect(answers).toEqual(Object.fromEntries(expected));
});
