/** Applies of model files to a real controller: whole, twice, stopped and continued, side by side. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { planModel, withoutApplications } from '../../core/model-file/plan-model.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import {
  addShopUsers,
  edited,
  fileClient,
  shopFolder,
  whole,
  type FileClient,
} from '../../testing/model-file/client.ts';
import { prepareWith, refuseReplacements, type PreparedModel } from './prepare-model.ts';

let controller: TestController;
const folder = shopFolder();
beforeAll(async () => {
  controller = await testController();
  await addShopUsers(controller);
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

let models = 0;
async function newModel(): Promise<string> {
  const name = `m${models++}`;
  await controller.addModel(name);
  return name;
}
const open = (model: string, before?: Parameters<typeof fileClient>[3], user?: string): Promise<FileClient> =>
  fileClient(controller, folder, model, before, user);

describe('apply', () => {
  test('an apply makes an empty model what the file says; a second one has nothing to do', async () => {
    await using client = await open(await newModel());
    const prepared = await client.plan(whole);
    expect(prepared.plan.steps.length).toBeGreaterThan(15);
    const done = await client.apply(prepared);
    expect(done).toHaveLength(prepared.plan.steps.length);
    expect(client.operator.events.filter(({ kind }) => kind === 'step done')).toHaveLength(done.length);
    const again = await client.plan(whole);
    expect(again.plan.steps).toEqual([]);
    expect((await call(client.session.connection, 'ModelFiles', 'Status', {})).files).toMatchObject([
      { name: 'shop', user: 'admin', ended: expect.any(String) as string },
    ]);
  });

  test('an offer moves to another application when that is allowed, and its consumers lose it', async () => {
    const source = await newModel();
    await using client = await open(source);
    const one = `
name: shop
applications:
  kv: {charm: ./kv, offers: {store: {endpoints: [db], acl: {dora: read}}}}
  more: {charm: ./kv}
`;
    await client.apply(await client.plan(one));
    await using consumer = await open(await newModel());
    const web = `
name: shop
applications: {web: {charm: ./web}}
saas: {far: {url: admin/${source}.store}}
relations: [[web:db, far]]
`;
    await consumer.apply(await consumer.plan(web));
    const status = () => call(client.session.connection, 'Client', 'FullStatus', { patterns: [] });
    await expect
      .poll(async () => (await status()).offers['store'])
      .toMatchObject({ 'total-connected-count': 1 });

    const moved = one
      .replace('offers: {store: {endpoints: [db], acl: {dora: read}}}', 'num_units: 0')
      .replace('more: {charm: ./kv}', 'more: {charm: ./kv, offers: {store: {endpoints: [other]}}}');
    const refused = await client.plan(moved, { prune: true });
    const why =
      'it is of application kv: 1 relation ends, and consumers have to consume it again; access that the file does not name goes with it: dora (read)';
    expect(refused.document.refused).toEqual([{ application: 'more', offer: 'store', why }]);
    expect(refused.document.changes).toEqual([]);
    expect(() => refuseReplacements(refused)).toThrow('allow them with --replace offer:store');
    await expect(client.plan(moved, { replace: ['offer:other'] })).rejects.toThrow(
      'offer "other" not found in the file',
    );
    const allowed = await client.plan(moved, { prune: true, replace: ['offer:store'] });
    expect(allowed.document).toMatchObject({
      applicable: true,
      summary: { add: 0, change: 0, replace: 1, remove: 0 },
      changes: [{ action: 'replace', kind: 'offer', name: 'store', why }],
    });
    await client.apply(allowed);
    expect((await client.plan(moved, { prune: true })).plan).toMatchObject({ steps: [], refused: [] });
    expect((await status()).offers['store']).toMatchObject({
      'application-name': 'more',
      'total-connected-count': 0,
    });
    await expect
      .poll(async () => {
        const { connection } = consumer.session;
        const { 'remote-applications': all } = await call(connection, 'Client', 'FullStatus', {
          patterns: [],
        });
        return all['far']?.status.status;
      })
      .toBe('terminated');
  });

  test('an application that is replaced may read the secrets that the file lets it read, as the one before', async () => {
    await using client = await open(await newModel());
    const file = (charm: string): string => `
name: shop
secrets: {password: {content: {value: {env: PASSWORD}}, grants: [kv]}}
applications: {kv: {charm: ${charm}, num_units: 0}}
`;
    await client.apply(await client.plan(file('./kv')));
    await client.apply(await client.plan(file('./web'), { replace: ['kv'] }), 4);
    expect(await client.state()).toMatchObject({ secrets: { password: { grants: ['kv'] } } });
    expect((await client.plan(file('./web'), { prune: true })).plan.steps).toEqual([]);
  });

  describe('charms that change their applications', () => {
    const kv = (machine: string, charm = './kv'): string => `
name: shop
machines: {"0": {}, "1": {}}
applications:
  kv: {charm: "${charm}", num_units: 1, to: ["${machine}"]}
  host: {charm: ./web, num_units: 2, to: ["0", "1"]}
`;
    const flags = { replace: ['kv'] };

    test.each(['./kv', 'local:kv-0'])(
      'the only application of charm %s is replaced in one run',
      async (charm) => {
        await using client = await open(await newModel());
        await client.apply(await client.plan(kv('0')));
        await client.apply(await client.plan(kv('1', charm), flags), 4);
        const { plan } = await client.plan(kv('1', charm), flags);
        expect(plan).toMatchObject({ steps: [], differences: [], refused: [] });
        expect(await call(client.session.connection, 'Charms', 'List', { names: [] })).toEqual({
          'charm-urls': ['local:kv-0', 'local:web-0'],
        });
      },
    );

    test.each(['./kv', 'local:kv-0'])(
      'the only application of charm %s is deployed by a second run when the first ended with its removal',
      async (charm) => {
        const model = await newModel();
        await using client = await open(model);
        await client.apply(await client.plan(kv('0')));
        await using killed = await open(model, (method) => {
          if (method === 'Application.Deploy') throw new Error('killed');
        });
        await expect(killed.apply(await killed.plan(kv('1', charm), flags))).rejects.toThrow('killed');
        killed.kill();
        const { connection } = client.session;
        await expect
          .poll(async () => (await call(connection, 'ModelFiles', 'Status', {})).holder)
          .toBeUndefined();
        await client.apply(await client.plan(kv('1', charm), flags));
        expect((await client.plan(kv('1', charm), flags)).plan.steps).toEqual([]);
      },
    );

    test.each([1, 4])('applications swap their charms, with %i steps at a time', async (parallel) => {
      await using client = await open(await newModel());
      folder.charm('kv2', '');
      folder.write('kv2/metadata.yaml', 'name: kv\nsummary: other\ndescription: d\n');
      const file = (a: string, b: string): string =>
        `applications: {a: {charm: ${a}, num_units: 0}, b: {charm: ${b}, num_units: 0}}`;
      await client.apply(await client.plan(file('./kv', './kv2')));
      await client.apply(await client.plan(file('./kv2', './kv')), parallel);
      expect((await client.plan(file('./kv2', './kv'))).plan.steps).toEqual([]);
      await client.apply(await client.plan(file('local:kv-0', 'local:kv-1')), parallel);
      expect((await client.plan(file('./kv', './kv2'))).plan.steps).toEqual([]);
    });

    test.each([1, 4])(
      'an application gets another name and keeps its charm, with %i steps at a time',
      async (parallel) => {
        await using client = await open(await newModel());
        const file = (name: string): string =>
          `name: shop\napplications: {${name}: {charm: ./kv, num_units: 0}}`;
        await client.apply(await client.plan(file('before')));
        const plan = await client.plan(file('after'), { prune: true });
        await client.apply(plan, parallel);
        expect((await client.plan(file('after'), { prune: true })).plan.steps).toEqual([]);
      },
    );
  });

  test('an application is replaced by one whose charm has other endpoints and options', async () => {
    await using client = await open(await newModel());
    const file = (charm: string, more: string): string => `
name: shop
applications: {one: {charm: ${charm}, num_units: 0${more}}, kv: {charm: ./kv, num_units: 0}}
`;
    await client.apply(await client.plan(file('./kv', '')));
    const text = `${file('./web', ', options: {motto: hello}')}relations: [["one:db", "kv:db"]]`;
    await expect(client.plan(text)).rejects.toThrow('--replace one');
    const prepared = await client.plan(text, { replace: ['one', 'kv'] });
    expect(prepared.document.changes).toMatchObject([
      {
        action: 'replace',
        kind: 'application',
        name: 'one',
        why: `its charm is local:kv-0, and ${folder.path}/web has another name`,
      },
      { action: 'add', kind: 'relation' },
    ]);
    await client.apply(prepared, 4);
    expect((await client.plan(text)).plan).toMatchObject({ steps: [], refused: [] });
  });

  test('an application that is being removed is replaced when that is allowed', async () => {
    await using client = await open(await newModel());
    const file = 'name: shop\napplications: {kv: {charm: ./kv, num_units: 1}}';
    await client.apply(await client.plan(file));
    const { deploy, live } = await client.plan(file);
    const bundle = { ...withoutApplications(live.bundle, ['kv']), units: live.bundle.units, dying: ['kv'] };
    const prepare = (replace: readonly string[]): Promise<PreparedModel> => {
      const read = { live: { ...live, bundle }, revision: 1, name: 'shop' };
      return prepareWith(client.operator, { ...deploy, replace }, read, planModel);
    };
    await expect(prepare([])).rejects.toThrow('application "kv" is being removed');
    const { document, plan } = await prepare(['kv']);
    expect(plan.steps).toMatchObject([
      { kind: 'remove-application', application: 'kv' },
      { kind: 'deploy', application: 'kv' },
      { kind: 'add-unit' },
    ]);
    expect(document.changes[0]).toMatchObject({ action: 'replace', name: 'kv', why: 'it is being removed' });
  });

  test('gates that would close a circle with those of the model are refused by the plan already', async () => {
    await using client = await open(await newModel());
    const gated = (name: string, other: string): string =>
      `name: shop\napplications: {${name}: {charm: ./kv, after: {${other}: active}}}`;
    await client.apply(await client.plan(gated('kv', 'web')));
    await expect(client.plan(gated('web', 'kv'))).rejects.toMatchObject({
      code: 'not valid',
      message: 'applications.web.after: web cannot wait for kv: kv waits for web',
    });
    const both = 'name: shop\napplications: {kv: {charm: ./kv}, web: {charm: ./kv, after: {kv: active}}}';
    await client.apply(await client.plan(both, { prune: true }));
    expect((await client.plan(both, { prune: true })).plan.steps).toEqual([]);
  });

  test('a file that would take admin access from who applies it is refused by the plan already', async () => {
    const model = await newModel();
    await using client = await open(model);
    await client.apply(await client.plan('name: shop\naccess: {carl: admin}'));
    await using carl = await open(`admin/${model}`, undefined, 'carl');
    for (const text of ['{carl: read, dora: read}', '{carl: write}'])
      await expect(carl.plan(`name: shop\naccess: ${text}`)).rejects.toThrow(
        'access: the file would take admin access from carl, who applies it',
      );
    await expect(carl.plan('name: shop\naccess: {dora: read}', { prune: true })).rejects.toThrow('from carl');
    await carl.apply(await carl.plan('name: shop\naccess: {carl: admin, dora: read}'));
    await client.apply(await client.plan('name: shop\naccess: {carl: read}'));
  });

  test('containers in several spaces are refused by the plan already', async () => {
    await using client = await open(await newModel());
    const spaces = [{ cidrs: [], 'space-tag': 'space-dmz', public: false }];
    await call(client.session.connection, 'Spaces', 'CreateSpaces', { spaces });
    const file = (place: string, bindings: string): string => `
machines: {"0": {}}
applications: {kv: {charm: ./kv, num_units: 1, to: ["${place}"], bindings: ${bindings}}}`;
    const refused = client.plan(file('lxd:0', '{db: dmz}'));
    await expect(refused).rejects.toMatchObject({
      code: 'not supported',
      message:
        'application "kv": a container is on one network of its host, and cannot be in several spaces: alpha, dmz',
    });
    // The controller says so, too, and takes what is not refused.
    await client.plan(file('0', '{db: dmz}'));
    await client.apply(await client.plan(file('lxd:0', '{"": dmz}')));
    const grown = file('lxd:0', '{"": dmz, other: alpha}')
      .replace('"lxd:0"', '"lxd:0", "lxd:0"')
      .replace(': 1', ': 2');
    await expect(client.plan(grown)).rejects.toThrow('several spaces: alpha, dmz');
  });

  test('bindings to spaces in which machines have no address are refused by the plan already', async () => {
    await using client = await open(await newModel());
    const spaces = [{ cidrs: [], 'space-tag': 'space-dmz', public: false }];
    await call(client.session.connection, 'Spaces', 'CreateSpaces', { spaces });
    const file = (bindings: string): string =>
      `name: shop\napplications: {kv: {charm: ./kv, num_units: 1, bindings: ${bindings}}, web: {charm: ./web, num_units: 0}}`;
    await client.apply(await client.plan(file('{db: dmz}')));
    const then = await client.revision();
    await client.apply(await client.plan(file('{}'), { prune: true }));
    const { modelUuid } = client.session;
    await controller.running().store.change((tx) => {
      const machine = tx.in(modelUuid).get('machine', '0')!;
      const addresses = [{ value: '10.0.0.9', type: 'ipv4', scope: 'local-cloud' } as const];
      tx.in(modelUuid).put('machine', '0', { ...machine, addresses });
    }, 'test');
    const why = 'cannot be bound to space "dmz", in which machine 0 has no address';
    await expect(client.plan(file('{db: dmz, "": dmz}'))).rejects.toMatchObject({
      message: `application "kv": endpoints ${why}; application "kv": endpoint "db" ${why}`,
    });
    await expect(client.planRevert({ revision: then })).rejects.toThrow(`endpoint "db" ${why}`);
    await client.apply(
      await client.plan(`${file('{}').replace('num_units: 0', 'num_units: 0, bindings: {db: dmz}')}`),
    );
  });

  test('steps side by side make the same model', async () => {
    await using one = await open(await newModel());
    await one.apply(await one.plan(whole));
    await using other = await open(await newModel());
    await other.apply(await other.plan(whole), 8);
    expect(await other.state()).toEqual(await one.state());
    expect((await other.plan(whole)).plan.steps).toEqual([]);
  });

  test('an edited file changes the model, and takes away what it made and no longer names only with prune', async () => {
    await using client = await open(await newModel());
    await client.apply(await client.plan(whole));
    const kept = await client.plan(edited);
    await client.apply(kept);
    expect((await client.plan(edited)).plan.steps).toEqual([]);
    const pruned = await client.plan(edited, { prune: true });
    expect(pruned.plan.steps.map(({ kind }) => kind).sort()).toEqual([
      'remove-access',
      'remove-machine',
      'remove-offer',
      'remove-pool',
      'remove-relation',
      'reset-constraints',
      'reset-options',
      'reset-settings',
      'revoke-secret',
      'unexpose',
    ]);
    await client.apply(pruned, 4);
    expect((await client.plan(edited, { prune: true })).plan.steps).toEqual([]);
  });

  test('what was there before, or was made by hand, is not taken away', async () => {
    await using client = await open(await newModel());
    const { connection } = client.session;
    await client.apply(await client.plan('name: other\napplications: {kv: {charm: ./kv, num_units: 0}}'));
    await client.apply(
      await client.plan(
        'name: shop\napplications: {kv: {charm: ./kv, num_units: 0}, web: {charm: ./web, num_units: 0}}',
      ),
    );
    await call(connection, 'Application', 'DestroyApplication', {
      applications: [{ 'application-tag': 'application-web', force: false }],
    });
    await client.apply(await client.plan('name: third\napplications: {web: {charm: ./web, num_units: 0}}'));
    const { steps } = (await client.plan('name: shop\napplications: {}', { prune: true })).plan;
    expect(steps).toEqual([]);
  });

  test('a second applier is refused while the first is at work', async () => {
    const model = await newModel();
    await using second = await open(model);
    const other = await second.plan('name: shop\napplications: {web: {charm: ./web, num_units: 0}}');
    let refused: unknown;
    await using first = await open(model, async (method) => {
      if (method === 'Application.AddRelation')
        refused = await second.apply(other).catch((error: Error) => error.message);
    });
    await first.apply(await first.plan(whole));
    expect(refused).toMatch(/^model is being applied from file "shop" by admin from \S+ since 20/);
    await expect(second.apply(other)).rejects.toThrow('model has changed since its plan was made');
  });

  test('a failed step says why, and how much was done; the next apply continues', async () => {
    await using client = await open(await newModel());
    const prepared = await client.plan(whole);
    let blocked = false;
    const model = client.session.model.split('/')[1]!;
    await using failing = await open(model, (method) => {
      if (method !== 'Application.AddRelation' || blocked) return;
      blocked = true;
      throw new Error('no such luck');
    });
    const { session } = failing;
    await expect(failing.apply({ ...prepared, deploy: { ...prepared.deploy, session } })).rejects.toThrow(
      'no such luck',
    );
    expect(failing.operator.events.slice(-2)).toMatchObject([
      { kind: 'step failed', text: 'add relation web:db - kv:db', why: 'no such luck' },
      { kind: 'apply stopped', of: prepared.plan.steps.length },
    ]);
    expect((await call(session.connection, 'ModelFiles', 'Status', {})).files).toMatchObject([
      { failure: 'no such luck' },
    ]);
    await client.apply(await client.plan(whole));
    expect((await client.plan(whole)).plan.steps).toEqual([]);
  });
});
