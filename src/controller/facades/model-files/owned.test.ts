/** What clients of model files ask of a model: what belongs to a file, its past, and who is not there. */
import { expect, test } from 'vitest';
import {
  applier,
  begin,
  callers,
  deploy,
  end,
  options,
  owned,
  prepareApplies,
} from '../../../testing/applies.ts';
import { createCallers, type How } from '../../../testing/call.ts';

prepareApplies();

test('a past whose long values are no longer kept is refused with whose they were', async () => {
  const retention = { revisions: 1000, valueBytes: 0 };
  await using world = await createCallers({ retention });
  await world.addCharm('web', { requires: {}, storage: {} }, { config: options });
  const set = (motto: string): Promise<unknown> =>
    world.call('Application', 'SetConfigs', {
      Args: [{ application: 'web', generation: '', config: { motto }, 'config-yaml': '' }],
    });
  await world.call('Application', 'Deploy', {
    applications: [{ application: 'web', 'charm-url': 'local:web-0', 'num-units': 0 }],
  });
  const short = world.store.read().revision;
  await set('a'.repeat(100_000));
  const long = world.store.read().revision;
  // Newer values take its place in the store's memory, too.
  for (let n = 0; n < 10; n++) await set(String(n).repeat(1_000_000));
  await set('b');
  expect(await world.call('ModelFiles', 'Past', { revision: short })).toMatchObject({ revision: short });
  await expect(world.call('ModelFiles', 'Past', { revision: long })).rejects.toThrow(
    `the model of revision ${long} cannot be read: long values are no longer kept of application web`,
  );
});

test('what a request makes after its connection has ended belongs to the file', async () => {
  await begin();
  const made = callers.call(
    'Secrets',
    'CreateSecrets',
    { args: [{ 'owner-tag': `model-${callers.model}`, label: 'key', content: { data: { value: 'b25l' } } }] },
    { connection: applier },
  );
  applier.end();
  await made;
  expect(await owned()).toEqual(['secret key']);
});

test('what an applier makes is the file’s, and what others make meanwhile is not', async () => {
  await deploy('db', 'db');
  await begin();
  await deploy('web', 'web', { connection: applier });
  await callers.call(
    'Application',
    'AddRelation',
    { endpoints: ['web:db', 'db:sql'] },
    { connection: applier },
  );
  await deploy('other', 'db');
  expect(await owned()).toEqual(['application web', 'relation db:sql web:db']);
  expect(await owned('other')).toEqual([]);
});

test('an application that was removed and made again by hand is not the file’s', async () => {
  await begin();
  await deploy('web', 'web', { connection: applier }, { config: { motto: 'x' } });
  await callers.call('Application', 'DestroyApplication', {
    applications: [{ 'application-tag': 'application-web' }],
  });
  expect(await owned()).toEqual([]);
  await deploy('web', 'web', {}, { config: { motto: 'x' } });
  expect(await owned()).toEqual([]);
});

test('an application stays the file’s whoever changes it, and however often', async () => {
  await begin();
  await deploy('web', 'web', { connection: applier });
  await end();
  await callers.call('Application', 'Expose', { application: 'web' }, { as: 'bob' });
  await callers.call('Application', 'AddUnits', { application: 'web', 'num-units': 2 });
  expect(await owned()).toEqual(['application web']);
});

test('a value is the file’s until somebody else sets or resets it', async () => {
  await deploy('web', 'web', {}, { config: { motto: 'by hand' } });
  await begin();
  const how = { connection: applier };
  const set = (config: object, by: How = {}): Promise<unknown> =>
    callers.call('Application', 'SetConfigs', { Args: [{ application: 'web', config }] }, by);
  const constrain = (cores: number, by: How = {}): Promise<unknown> =>
    callers.call('Application', 'SetConstraints', { application: 'web', constraints: { cores } }, by);
  await set({ motto: 'by hand', size: '3' }, how);
  expect(await owned()).toEqual(['option web size']);
  await set({ motto: 'of the file' }, how);
  await constrain(2, how);
  await callers.call('Application', 'Expose', { application: 'web' }, how);
  expect(await owned()).toEqual(['constraints web', 'expose web', 'option web motto', 'option web size']);
  await set({ size: '4' });
  await constrain(2);
  expect(await owned()).toEqual(['constraints web', 'expose web', 'option web motto']);
  await constrain(3);
  await callers.call('Application', 'UnsetApplicationsConfig', {
    Args: [{ application: 'web', options: ['motto'] }],
  });
  await callers.call('Application', 'Unexpose', { application: 'web' });
  expect(await owned()).toEqual([]);
});

test('trust, gates, bindings, annotations and descriptions are the file’s until somebody else changes them', async () => {
  await callers.call('Spaces', 'CreateSpaces', {
    spaces: [{ cidrs: [], 'space-tag': 'space-dmz', public: false }],
  });
  await deploy('db', 'db');
  await deploy('web', 'web');
  const secret = {
    UpsertSecretArg: {},
    'owner-tag': `model-${callers.model}`,
    label: 'pw',
    content: { data: { token: 'YQ==' } },
  };
  await callers.call('Secrets', 'CreateSecrets', { args: [secret] });
  await begin();
  const by = { connection: applier };
  const changes: readonly [string, (how: How, value: string) => Promise<unknown>][] = [
    [
      'trust web',
      (how, value) =>
        callers.call(
          'Application',
          'SetConfigs',
          { Args: [{ application: 'web', config: { trust: String(value === '1') } }] },
          how,
        ),
    ],
    [
      'after web',
      (how, value) =>
        callers.call(
          'Requirements',
          'SetAfter',
          { application: 'web', after: value === '1' ? { db: 'active' } : {} },
          how,
        ),
    ],
    [
      'binding web db',
      (how, value) =>
        callers.call(
          'Application',
          'MergeBindings',
          {
            args: [
              { 'application-tag': 'application-web', bindings: { db: value === '1' ? 'dmz' : 'alpha' } },
            ],
          },
          how,
        ),
    ],
    [
      'annotation application web x',
      (how, x) =>
        callers.call(
          'Annotations',
          'Set',
          { annotations: [{ entity: 'application-web', annotations: { x } }] },
          how,
        ),
    ],
    [
      'secret-description pw',
      (how, description) =>
        callers.call(
          'Secrets',
          'UpdateSecrets',
          { args: [{ UpsertSecretArg: {}, uri: '', 'existing-label': 'pw', description }] },
          how,
        ),
    ],
  ];
  for (const [name, change] of changes) {
    await change(by, '1');
    expect(await owned()).toEqual([name]);
    await change({}, '2');
    expect(await owned()).toEqual([]);
    await change(by, '1');
    await change(by, '');
    expect(await owned()).toEqual([]);
  }
});

test('a gate that opens stays the file’s', async () => {
  await deploy('db', 'db');
  await begin();
  await deploy('web', 'web', { connection: applier }, { after: { db: 'active' } });
  expect(await owned()).toContain('after web');
  await callers.store.change((tx) => {
    const model = tx.in(callers.model);
    const web = model.get('application', 'web')!;
    model.put('application', 'web', {
      ...web,
      after: { db: { health: 'active', opened: '2026-01-01T00:00:00Z' } },
    });
  }, 'test');
  expect(await owned()).toContain('after web');
});

test('admins of a model are told which users are not there, whatever their names’ spelling', async () => {
  const users = ['BOB', 'bob@local', 'far@external', 'nobody', 'gone'];
  const unknown = (as: string): Promise<unknown> =>
    callers.call('ModelFiles', 'UnknownUsers', { users }, { as });
  await callers.addUser('gone');
  await callers.call('UserManager', 'RemoveUser', { entities: [{ tag: 'user-gone' }] }, { model: '' });
  expect(await unknown('bob')).toEqual({ users: ['nobody', 'gone'] });
  await callers.addUser('eve');
  await callers.grant('eve', 'write');
  await expect(unknown('eve')).rejects.toThrow('permission denied');
});

test('settings, pools and machines of the model are the file’s, and not the machines of units', async () => {
  await begin();
  const how = { connection: applier };
  await callers.call('ModelConfig', 'ModelSet', { config: { 'test-size': 7 } }, how);
  await callers.call(
    'Storage',
    'CreatePool',
    { pools: [{ name: 'fast', provider: 'loop', attrs: {} }] },
    how,
  );
  const base = { name: 'ubuntu', channel: '24.04' };
  await callers.call('MachineManager', 'AddMachines', { params: [{ base, jobs: ['JobHostUnits'] }] }, how);
  await deploy('web', 'web', how, { 'num-units': 1, placement: [] });
  await callers.call('Storage', 'CreatePool', { pools: [{ name: 'slow', provider: 'loop', attrs: {} }] });
  await callers.call(
    'ModelConfig',
    'SetModelConstraints',
    { application: '', constraints: { cores: 2 } },
    how,
  );
  const made = ['application web', 'machine 0', 'storage-pool fast'];
  expect(await owned()).toEqual([
    ...made.slice(0, 2),
    'model-constraints model',
    'setting test-size',
    made[2],
  ]);
  await callers.call('ModelConfig', 'ModelSet', { config: { 'test-size': 8 } });
  await callers.call('ModelConfig', 'SetModelConstraints', { application: '', constraints: {} });
  expect(await owned()).toEqual(made);
});

test('a connection to the controller that has joined makes offers and grants for the file', async () => {
  const controller = { connection: callers.connect('10.0.0.3'), model: '' };
  const tag = `model-${callers.model}`;
  await expect(callers.call('ModelFiles', 'Join', { 'model-tag': tag }, controller)).rejects.toThrow(
    'no apply by admin to join',
  );
  await begin();
  await deploy('db', 'db', { connection: applier });
  await callers.call('ModelFiles', 'Join', { 'model-tag': tag }, controller);
  const offer = (name: string, how: How): Promise<unknown> =>
    callers.call(
      'ApplicationOffers',
      'Offer',
      {
        Offers: [
          { 'model-tag': tag, 'application-name': 'db', 'offer-name': name, endpoints: { sql: 'sql' } },
        ],
      },
      how,
    );
  const grant = (user: string, how: How): Promise<unknown> =>
    callers.call(
      'ModelManager',
      'ModifyModelAccess',
      { changes: [{ 'user-tag': `user-${user}`, action: 'grant', access: 'read', 'model-tag': tag }] },
      how,
    );
  await callers.addUser('carl');
  await callers.addUser('dora');
  await offer('of-file', controller);
  await offer('by-hand', { model: '' });
  await grant('carl', controller);
  await grant('dora', { model: '' });
  // The admin of an offer is who made it: nobody takes that away.
  expect(await owned()).toEqual(['access carl', 'application db', 'offer of-file']);
  await expect(
    callers.call('ModelFiles', 'Join', { 'model-tag': tag }, { ...controller, as: 'bob' }),
  ).rejects.toThrow('no apply by bob to join');
  await end();
  await offer('later', controller);
  expect((await owned()).filter((one) => one.startsWith('offer'))).toEqual(['offer of-file']);
});
