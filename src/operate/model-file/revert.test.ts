/** Reverts on a real controller, without a terminal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, only } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import {
  addShopUsers,
  edited,
  exportedAlike,
  fileClient,
  shopFolder,
  whole,
  type FileClient,
} from '../../testing/model-file/client.ts';
import { planSchema } from '../../testing/model-file/plan-schema.ts';
import { lineOf } from '../../testing/model-file/world.ts';
import type { PreparedModel } from './prepare-model.ts';

let controller: TestController;
const folder = shopFolder();
beforeAll(async () => {
  controller = await testController();
  await addShopUsers(controller);
  folder.charm('own', '');
  folder.charm('lost', '');
  folder.write('site.txt', 'one');
  folder.charm('site', 'resources:\n  page: {type: file, filename: page.txt}\n');
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

let models = 0;
async function newClient(before?: (method: string) => void): Promise<FileClient> {
  const name = `r${models++}`;
  await controller.addModel(name);
  return fileClient(controller, folder, name, before);
}

const linesOf = ({ document }: PreparedModel): string[] => document.changes.map(lineOf);
const leftOf = ({ document }: PreparedModel): string[] => document.revert!.left.map(({ text }) => text);

async function applied(client: FileClient, text: string): Promise<number> {
  await client.apply(await client.plan(text, { prune: true, replace: [] }));
  return client.revision();
}

async function reverted(client: FileClient, revision: number): Promise<PreparedModel> {
  const plan = await client.planRevert({ revision });
  await client.apply(plan);
  return plan;
}

async function contentOf({ session }: FileClient, application: string): Promise<unknown> {
  const entities = [{ tag: `application-${application}` }];
  const { results } = await call(session.connection, 'Resources', 'ListResources', { entities });
  return results[0]?.resources[0]?.fingerprint;
}

describe('a revert', () => {
  test('makes a model that was edited everywhere what it was, and can be reverted itself', async () => {
    await using client = await newClient();
    const first = await applied(client, whole);
    const then = await exportedAlike(client);
    const second = await applied(client, edited);
    const since = await exportedAlike(client);
    expect(since).not.toEqual(then);

    const plan = await reverted(client, first);
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan.document)))).toBeDefined();
    expect(leftOf(plan)).toEqual([]);
    expect(await exportedAlike(client)).toEqual(then);
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);

    const back = await reverted(client, second);
    expect(leftOf(back)).toEqual(['storage pool fast, made since then, stays']);
    const pools = { 'storage-pools': { fast: { provider: 'loop' } } };
    expect(await exportedAlike(client)).toEqual({ ...(since as object), ...pools });
  });

  test('brings back charms and contents of resources that nothing used any more', async () => {
    await using client = await newClient();
    const files = (page: string): string =>
      `applications: {site: {charm: ./site, num_units: 0, resources: {page: ${page}}}}`;
    const first = await applied(client, files('./site.txt'));
    const then = [await exportedAlike(client), await contentOf(client, 'site')];
    folder.write('site/hooks/start', '#!/bin/sh\n');
    folder.write('page.txt', 'two');
    const second = await applied(client, files('./page.txt'));
    const since = [await exportedAlike(client), await contentOf(client, 'site')];
    expect([since[0] === then[0], since[1] === then[1]]).toEqual([false, false]);

    const plan = await reverted(client, first);
    expect(linesOf(plan)).toEqual(['change application site charm resources.page']);
    expect(plan.plan.steps.map(({ kind }) => kind)).toEqual(['restore-charm', 'refresh', 'restore-resource']);
    expect([await exportedAlike(client), await contentOf(client, 'site')]).toEqual(then);
    await reverted(client, second);
    expect([await exportedAlike(client), await contentOf(client, 'site')]).toEqual(since);

    await applied(client, 'applications: {}');
    const whenGone = await reverted(client, first);
    expect(leftOf(whenGone)).toEqual([]);
    expect([await exportedAlike(client), await contentOf(client, 'site')]).toEqual(then);
  });

  test('says which charms are no longer kept, before anything is changed', async () => {
    await using client = await newClient();
    const { connection, modelUuid } = client.session;
    const first = await applied(client, 'applications: {own: {charm: ./own}, lost: {charm: ./lost}}');
    folder.write('own/hooks/stop', '#!/bin/sh\n');
    await applied(client, 'applications: {own: {charm: ./own}}');
    const { store } = controller.running();
    await store.change((tx) => {
      const space = tx.in(modelUuid);
      for (const { sha256 } of space.list('past-blob')) space.remove('past-blob', sha256);
    }, 'test');
    const plan = async () => leftOf(await client.planRevert({ revision: first }));
    await expect
      .poll(plan)
      .toEqual([
        'lost: local:lost-0 is no longer kept, so it is not deployed again',
        'own: local:own-0 is no longer kept, so it keeps local:own-1',
      ]);
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);
    const lost = { url: 'local:own-0', revision: first };
    await expect(call(connection, 'ModelFiles', 'RestoreCharm', lost)).rejects.toThrow(
      'the archive of charm "local:own-0" is no longer kept',
    );
  });

  test('takes annotations from a machine that the model of then has for one unit alone', async () => {
    await using client = await newClient();
    const named = (machine: string): string =>
      `{machines: {"0": ${machine}}, applications: {own: {charm: ./own, num_units: 1, to: ["0"]}}}`;
    const first = await applied(client, named('{annotations: {rack: a1}}'));
    const then = await exportedAlike(client);
    const second = await applied(client, named('{}'));
    const since = await exportedAlike(client);
    expect(JSON.stringify(since)).not.toContain('rack');

    await reverted(client, first);
    expect(await exportedAlike(client)).toEqual(then);
    const back = await reverted(client, second);
    expect(back.plan.steps.map(({ kind }) => kind)).toEqual(['reset-annotations']);
    expect(await exportedAlike(client)).toEqual(since);
  });

  test('of some applications leaves the others, and what belongs to the model, as they are', async () => {
    await using client = await newClient();
    const first = await applied(client, whole);
    await applied(client, edited);
    const plan = await client.planRevert({ revision: first }, { only: ['web'] });
    expect(linesOf(plan)).toEqual([
      'remove relation web:db kv:other',
      'change application web exposed options.motto options.size',
      'add relation web:db kv:db',
      'remove unit web/1',
    ]);
    const since = (await exportedAlike(client)) as { applications: Record<string, unknown> };
    await client.apply(plan);
    const after = (await exportedAlike(client)) as typeof since;
    expect({ ...after, applications: { ...after.applications, web: 0 }, relations: 0, machines: 0 }).toEqual({
      ...since,
      applications: { ...since.applications, web: 0 },
      relations: 0,
      machines: 0,
    });
    await expect(client.planRevert({ revision: first }, { only: ['nobody'] })).rejects.toThrow(
      'application "nobody" not found, neither then nor now',
    );
  });

  test('gives a secret the content that it had, and keeps secrets made since', async () => {
    await using client = await newClient();
    const { connection, modelUuid } = client.session;
    const first = await applied(client, whole);
    const value = async (label: string): Promise<unknown> => {
      const filter = { label };
      const { results } = await call(connection, 'Secrets', 'ListSecrets', { 'show-secrets': true, filter });
      return results[0]?.value?.data;
    };
    const then = await value('password');
    const args = [{ uri: '', 'existing-label': 'password', content: { data: { value: 'bmV3' } } }];
    only((await call(connection, 'Secrets', 'UpdateSecrets', { args })).results);
    const made = [
      { 'owner-tag': `model-${modelUuid}`, label: 'later', content: { data: { value: 'bmV3' } } },
    ];
    only((await call(connection, 'Secrets', 'CreateSecrets', { args: made })).results);
    const plan = await reverted(client, first);
    expect(leftOf(plan)).toEqual(['secret later, made since then, stays']);
    expect(linesOf(plan)).toEqual(['change secret password content']);
    expect(await value('password')).toEqual(then);
    expect(await value('later')).toEqual({ value: 'bmV3' });
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);
  });

  test('goes on without a consumed application whose offer is gone, and says so', async () => {
    await using offering = await newClient();
    await applied(offering, whole);
    await using client = await newClient();
    const consuming = `
      saas: {far: {url: ${offering.session.model}.store}}
      applications: {web: {charm: ./web, num_units: 0, options: {size: 3}}}
      relations: [["web:db", "far:db"]]`;
    const first = await applied(client, consuming);
    await applied(client, 'applications: {web: {charm: ./web, num_units: 0}}');
    const root = await controller.connect();
    const urls = { 'offer-urls': [`${offering.session.model}.store`], force: true };
    only((await call(root, 'ApplicationOffers', 'DestroyOffers', urls)).results);
    await root.close();
    const plan = await reverted(client, first);
    expect(leftOf(plan)).toEqual([
      expect.stringMatching(/^far is not consumed again: .*offer "?admin\/r\d+\.store"? not found/),
      'relation web:db far:db is not made again: there is no far',
    ]);
    expect(linesOf(plan)).toEqual(['change application web options.size']);
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);
  });

  test('of some applications asks for no offer that only others were related with', async () => {
    await using offering = await newClient();
    await applied(offering, whole);
    let isDown = false;
    await using client = await newClient((method) => {
      if (isDown && method === 'ApplicationOffers.GetConsumeDetails')
        throw new JujuError('', 'the controller of the offer is down');
    });
    const consuming = `
      saas: {far: {url: ${offering.session.model}.store}}
      applications: {web: {charm: ./web, num_units: 0}, kv: {charm: ./kv, num_units: 0, expose: true}}
      relations: [["web:db", "far:db"]]`;
    const revision = await applied(client, consuming);
    await applied(
      client,
      'applications: {web: {charm: ./web, num_units: 0}, kv: {charm: ./kv, num_units: 0}}',
    );
    isDown = true;
    const plan = await client.planRevert({ revision }, { only: ['kv'] });
    expect(linesOf(plan)).toEqual(['change application kv exposed']);
    await expect(client.planRevert({ revision }, { only: ['web'] })).rejects.toThrow(
      'the controller of the offer is down',
    );
  });

  test('lowers trust, exposure and access that grew, and keeps who reverts an admin', async () => {
    await using client = await newClient();
    const { connection, model } = client.session;
    const first = await applied(client, whole);
    const then = await exportedAlike(client);
    const config = { application: 'web', generation: 'master', config: { trust: 'true' }, 'config-yaml': '' };
    await call(connection, 'Application', 'SetConfigs', { Args: [config] });
    await call(connection, 'Application', 'Expose', {
      application: 'web',
      'exposed-endpoints': { db: { 'expose-to-cidrs': ['10.0.0.0/8'] } },
    });
    const root = await controller.connect();
    const grant = { 'user-tag': 'user-dora', action: 'grant' as const, access: 'admin' };
    const changes = [{ ...grant, 'offer-url': `${model}.store` }];
    only((await call(root, 'ApplicationOffers', 'ModifyOfferAccess', { changes })).results);
    await root.close();
    expect(await exportedAlike(client)).not.toEqual(then);
    await reverted(client, first);
    expect(await exportedAlike(client)).toEqual(then);
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);
  });

  test('gives files back what was theirs, and nothing else', async () => {
    await using client = await newClient();
    const { connection } = client.session;
    const text = `
      name: shop
      applications:
        web: {charm: ./web, num_units: 0, options: {motto: hi}, annotations: {team: a}}
        kv: {charm: ./kv, num_units: 0, expose: true, offers: {store: {endpoints: [db], acl: {dora: read}}}}
      relations: [["web:db", "kv:db"]]`;
    await applied(client, text);
    const config = { application: 'web', generation: '', config: { size: '7' }, 'config-yaml': '' };
    await call(connection, 'Application', 'SetConfigs', { Args: [config] });
    const deploy = { application: 'own', 'charm-url': 'local:kv-0', 'num-units': 0 };
    only((await call(connection, 'Application', 'Deploy', { applications: [deploy] } as never)).results);
    const first = await client.revision();
    const { owned } = (await client.state()) as { owned: string[] };
    await applied(client, 'name: shop');
    expect(((await client.state()) as { owned: string[] }).owned).toEqual([]);
    const destroy = { 'application-tag': 'application-own', force: true };
    only((await call(connection, 'Application', 'DestroyApplication', { applications: [destroy] })).results);
    await reverted(client, first);
    expect(await client.state()).toMatchObject({ owned });
    // What others had made and set stays theirs.
    const pruned = await client.plan('name: shop', { prune: true });
    expect(linesOf(pruned).sort()).toEqual([
      'remove application kv',
      'remove application web',
      'remove offer store',
      'remove relation web:db kv:db',
    ]);
    expect(linesOf(await client.plan(text, { prune: true }))).toEqual([]);
  });

  test('is told in the history, and two at once are refused', async () => {
    await using client = await newClient();
    const { connection } = client.session;
    const first = await applied(client, whole);
    await applied(client, edited);
    const other = await controller.connect(client.session.modelUuid);
    const revision = await client.revision();
    await call(other, 'ModelFiles', 'Begin', { file: 'shop', revision, 'revert-to': first });
    const plan = await client.planRevert({ revision: first });
    await expect(client.apply(plan)).rejects.toThrow(`model is being reverted to revision ${first} by admin`);
    await call(other, 'ModelFiles', 'End', { failure: '' });
    await other.close();
    await reverted(client, first);
    const { commits } = await call(connection, 'Lives', 'History', { names: [], limit: 20 });
    const whats = commits.flatMap(({ events }) => events.map(({ what }) => what));
    expect(whats).toContain(`revert to revision ${first} by admin is done`);
    expect(whats).toContainEqual(expect.stringMatching(`revert to revision ${first} by admin from .* began`));
    const { files } = await call(connection, 'ModelFiles', 'Status', {});
    expect(files.find(({ name }) => name === '-revert')).toMatchObject({ 'revert-to': first, user: 'admin' });
  });

  test('is refused for a revision of the future, before the model, and for who may not see the past', async () => {
    await using client = await newClient();
    const { connection } = client.session;
    const past = (params: object) => call(connection, 'ModelFiles', 'Past', params);
    await expect(past({ revision: 1_000_000 })).rejects.toThrow('revision 1000000 not found');
    await expect(past({ revision: 0 })).rejects.toThrow(
      /^there was no model "r\d+" at revision 0: it has been here since \d{4}-\S+Z, revision \d+$/,
    );
    await expect(past({})).rejects.toThrow('specify either a revision or a time');
    await expect(past({ time: '2999-01-01T00:00:00Z' })).rejects.toThrow('is in the future');
    const lost = { application: 'web', resource: 'page', revision: await client.revision() };
    await expect(call(connection, 'ModelFiles', 'RestoreResource', lost)).rejects.toThrow('not found');
  });
});
