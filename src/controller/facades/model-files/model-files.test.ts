/** Applies of model files: who holds a model, what makes a plan stale, and what belongs to a file. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionWatchers } from '../../server/connection-resources.ts';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers, type How } from '../../../testing/call.ts';
import { ownedKey } from '../../../core/model-file/owned.ts';
import type { ResponseOf } from '../../../wire/facade-spec.ts';
import type { modelFiles } from '../../../wire/facades/model-files.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
let applier: ConnectionWatchers;
beforeEach(async () => {
  callers = await createCallers();
  applier = callers.connect('10.0.0.3');
  await callers.addUser('bob');
  await callers.grant('bob', 'admin');
  await callers.addCharm('web', { requires: { db: { interface: 'sql' } }, storage: {} }, { config: options });
  await callers.addCharm('db', { provides: { sql: { interface: 'sql' } } });
});
afterEach(() => callers[Symbol.asyncDispose]());

const options = {
  motto: { type: 'string', description: '' },
  size: { type: 'int', description: '' },
} as const;

type Owned = ResponseOf<typeof modelFiles, 'Owned'>;
const revision = (): number => callers.store.read().revision;
const begin = (how: How = {}, file = 'shop', at = revision()): Promise<unknown> =>
  callers.call('ModelFiles', 'Begin', { file, revision: at }, { connection: applier, ...how });
const end = (failure = '', how: How = {}): Promise<unknown> =>
  callers.call('ModelFiles', 'End', { failure }, { connection: applier, ...how });
const owned = async (file = 'shop'): Promise<string[]> =>
  (await callers.call<Owned>('ModelFiles', 'Owned', { file })).owned.map(ownedKey).sort();
const deploy = (application: string, charm: string, how: How = {}, more: object = {}): Promise<unknown> =>
  callers.call(
    'Application',
    'Deploy',
    { applications: [{ application, 'charm-url': `local:${charm}-0`, 'num-units': 0, ...more }] },
    how,
  );

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

describe('guard', () => {
  test('a second applier is refused, with by whom, since when and from where the model is held', async () => {
    await begin();
    await expect(begin({ connection: callers.connect('10.0.0.4'), as: 'bob' })).rejects.toThrow(
      'model is being applied from file "shop" by admin from 10.0.0.3 since 2026-01-01T00:00:00.000Z',
    );
    await expect(begin({}, 'other')).rejects.toThrow('model is being applied from file "shop"');
  });

  test('a model is free after End, and when the connection ends', async () => {
    const other = { connection: callers.connect('10.0.0.4'), as: 'bob' };
    await begin();
    await end();
    await begin(other);
    other.connection.end();
    await begin();
    await expect(end('', other)).rejects.toThrow('this connection applies no file to the model');
    await expect(begin(other)).rejects.toThrow('connection has ended');
  });

  test('a refused applier holds nothing', async () => {
    await expect(begin({}, 'No name')).rejects.toThrow('"No name" is not a valid name of a model file');
    await expect(begin({}, 'shop', revision() + 1)).rejects.toThrow('is in the future');
    await begin({ connection: callers.connect('10.0.0.4') });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a deploy', () => deploy('web', 'web', { as: 'bob' })],
    [
      'a setting of the model',
      () => callers.call('ModelConfig', 'ModelSet', { config: { 'test-size': 7 } }, { as: 'bob' }),
    ],
    [
      'a pool',
      () =>
        callers.call(
          'Storage',
          'CreatePool',
          { pools: [{ name: 'fast', provider: 'loop', attrs: {} }] },
          { as: 'bob' },
        ),
    ],
    [
      'a grant',
      () =>
        callers.call(
          'ModelManager',
          'ModifyModelAccess',
          {
            changes: [
              {
                'user-tag': 'user-carl',
                action: 'grant',
                access: 'read',
                'model-tag': `model-${callers.model}`,
              },
            ],
          },
          { as: 'bob' },
        ),
    ],
  ])('a plan is stale after %s', async (_, change) => {
    await callers.addUser('carl');
    const planned = revision();
    await change();
    await expect(begin({}, 'shop', planned)).rejects.toThrow(
      `model has changed since its plan was made (revision ${planned}): bob changed it at 2026-01-01T00:00:00.000Z`,
    );
  });

  test('a change that is written while an apply begins ends it with the reason', async () => {
    await deploy('web', 'web');
    const planned = revision();
    const [changed, begun] = await Promise.allSettled([
      callers.call('Application', 'Expose', { application: 'web' }),
      begin({}, 'shop', planned),
    ]);
    expect(changed.status).toBe('fulfilled');
    const failure = expect.stringMatching(/^model has changed since its plan was made/);
    expect(begun).toMatchObject({ status: 'rejected', reason: { message: failure } });
    const record = callers.store.read().in(callers.model).get('model-file', 'shop');
    expect(record?.ended).toMatchObject({ failure });
    await begin();
  });

  test('a plan stays good while agents report, users run actions and other models change', async () => {
    await deploy('web', 'web', {}, { 'num-units': 1 });
    const planned = revision();
    await callers.store.change(
      (tx) => setStatus(tx.in(callers.model), 'unit-agent', 'web/0', 'idle'),
      'machine-0',
    );
    await callers.addUser('dora');
    await callers.call('Block', 'SwitchBlockOn', { type: 'BlockDestroy', message: '' });
    expect(revision()).toBeGreaterThan(planned);
    await begin({}, 'shop', planned);
  });
});

describe('ownership', () => {
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
});

describe('charms', () => {
  const charms = (): string[] =>
    [...callers.store.read().in(callers.model).list('charm')].map(({ url }) => url).sort();
  const beginWith = (urls: readonly string[], file = 'shop'): Promise<unknown> =>
    callers.call(
      'ModelFiles',
      'Begin',
      { file, revision: revision(), charms: urls },
      { connection: applier },
    );
  const remove = (application: string): Promise<unknown> =>
    callers.call('Application', 'DestroyApplication', {
      applications: [{ 'application-tag': `application-${application}`, force: false }],
    });

  test('a charm that a step is to take stays without its application until the apply is done', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    expect(charms()).toContain('local:web-0');
    await end();
    expect(charms()).toEqual(['local:db-0']);
  });

  test('a bundle that is deployed keeps charms, too, holds the model, and owns nothing', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0'], '');
    await expect(begin({ connection: callers.connect('10.0.0.4') })).rejects.toThrow(
      'model is being changed by the deploy of a bundle by admin from 10.0.0.3 since 2026-01-01T00:00:00.000Z',
    );
    await remove('shop');
    expect(charms()).toContain('local:web-0');
    await deploy('other', 'db', { connection: applier });
    await end();
    expect(charms()).toEqual(['local:db-0']);
    expect(await owned('-bundle')).toEqual([]);
    await expect(begin({}, '-bundle')).rejects.toThrow('"-bundle" is not a valid name of a model file');
  });

  test('a charm that an application has taken stays when the apply is done', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    await deploy('other', 'web');
    await end();
    expect(charms()).toContain('local:web-0');
    await remove('other');
    expect(charms()).toEqual(['local:db-0']);
  });

  test.each([
    ['fails', () => end('no more machines')],
    [
      'goes away without a word',
      () => {
        applier.end();
        applier = callers.connect('10.0.0.3');
        return Promise.resolve();
      },
    ],
  ])('a charm of an apply that %s stays until the next one of the file does not take it', async (_, stop) => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    await stop();
    expect(charms()).toContain('local:web-0');
    await beginWith([], 'another');
    await end();
    await beginWith(['local:web-0']);
    await end('again');
    expect(charms()).toContain('local:web-0');
    await begin();
    expect(charms()).toEqual(['local:db-0']);
  });

  test('a charm that was uploaded for later stays when an apply does not take it after all', async () => {
    await beginWith(['local:web-0', 'local:unknown-7']);
    await end();
    expect(charms()).toEqual(['local:db-0', 'local:web-0']);
  });

  test('the charms of a file that is forgotten go', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0'], 'first');
    await remove('shop');
    await end('no more machines');
    callers.advance(1000);
    for (let n = 1; n < limits.modelFiles.max; n++) {
      await begin({}, `f${n}`);
      await end();
    }
    expect(charms()).toContain('local:web-0');
    await begin({}, 'last');
    expect(charms()).toEqual(['local:db-0']);
  });

  test('an apply with too many such charms is refused', async () => {
    const { max } = limits.charmsOfApply;
    const urls = Array.from({ length: max + 1 }, (__, n) => `local:c${n}-0`);
    await callers.change((tx) => {
      const begun = { at: '', user: 'admin', from: '', charms: urls };
      tx.put('model-file', 'former', { name: 'former', begun: { ...begun, charms: urls.slice(0, max) } });
      tx.put('model-file', 'other', { name: 'other', begun: { ...begun, charms: urls.slice(max) } });
    });
    await expect(beginWith(urls)).rejects.toThrow(`charms that change their applications`);
    await beginWith([...urls.slice(1), ...urls.slice(1)]);
  });
});

describe('record', () => {
  const status = (): Promise<ResponseOf<typeof modelFiles, 'Status'>> => callers.call('ModelFiles', 'Status');

  test('an apply shows who holds the model, and later how it ended', async () => {
    await begin();
    const began = '2026-01-01T00:00:00.000Z';
    const known = { name: 'shop', user: 'admin', from: '10.0.0.3', began };
    expect(await status()).toEqual({
      holder: { file: 'shop', user: 'admin', from: '10.0.0.3', since: began },
      files: [known],
    });
    callers.advance(1000);
    await end('no more machines');
    const ended = '2026-01-01T00:00:01.000Z';
    expect(await status()).toEqual({ files: [{ ...known, ended, failure: 'no more machines' }] });
    await begin();
    await end();
    expect(await status()).toEqual({ files: [{ ...known, began: ended, ended }] });
  });

  test('an address of IPv4 is shown as such', async () => {
    await begin({ connection: callers.connect('::ffff:192.0.2.7') });
    expect((await status()).holder).toMatchObject({ from: '192.0.2.7' });
  });

  test('a client that goes away without a word leaves an apply without an end', async () => {
    await begin();
    applier.end();
    expect(await status()).toEqual({
      files: [expect.not.objectContaining({ ended: expect.anything() as string })],
    });
  });

  test('a long reason is cut', async () => {
    await begin();
    await end('x'.repeat(limits.applyFailure.max + 1));
    expect((await status()).files[0]!.failure).toHaveLength(limits.applyFailure.max);
  });

  test('the oldest of too many files is forgotten', async () => {
    const { max } = limits.modelFiles;
    await callers.change((tx) => {
      for (let n = 0; n < max; n++) {
        const at = new Date(Date.UTC(2025, 0, 1, 0, 0, n)).toISOString();
        tx.put('model-file', `f${n}`, { name: `f${n}`, begun: { at, user: 'admin', from: '' } });
      }
    });
    await begin();
    const names = (await status()).files.map(({ name }) => name);
    expect(names).toHaveLength(max);
    expect(names).not.toContain('f0');
    expect(names).toContain('shop');
  });

  test('the history shows applies as such', async () => {
    await begin();
    await end('no more machines');
    const { commits } = await callers.call<{ commits: { events: { what: string }[] }[] }>(
      'Lives',
      'History',
      {
        names: [],
      },
    );
    expect(commits.flatMap(({ events }) => events.map(({ what }) => what)).slice(0, 2)).toEqual([
      'apply of shop by admin stopped: no more machines',
      'apply of shop by admin from 10.0.0.3 began',
    ]);
  });
});
