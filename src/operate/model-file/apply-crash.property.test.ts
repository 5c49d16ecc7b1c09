/** Applies that are killed at each of their requests, and run again: the model is the same as without that. */
import fc from '../../testing/fast-check.ts';
import { isThorough } from '../../testing/thorough.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import {
  addShopUsers,
  edited,
  fileClient,
  shopFolder,
  whole,
  type FileClient,
} from '../../testing/model-file/client.ts';

let controller: TestController;
const folder = shopFolder();
/** A file that consumes and offers, and the same file with other applications and another offer in their places. */
const consuming = `
name: shop
saas: {far: {url: admin/far.data}, spare: {url: admin/far.data}}
applications:
  kv: {charm: ./kv, num_units: 1, offers: {store: {endpoints: [db], acl: {dora: read}}}}
  cache: {charm: ./kv, num_units: 1}
  web: {charm: ./web, num_units: 1, expose: true, options: {motto: hello}}
  only: {charm: ./only, num_units: 1}
relations: [["web:db", "kv:db"], ["web:db", "cache:db"], ["web:db", "far:db"]]
`;
const replacing = `
name: shop
saas: {far: {url: admin/far.data}, near: {url: admin/far.data}}
applications:
  kv: {charm: ./kv, num_units: 2}
  cache: {charm: ./web, num_units: 1}
  web: {charm: ./site, num_units: 2, expose: true}
  more: {charm: ./kv, num_units: 1, offers: {store: {endpoints: [db], acl: {dora: consume}}}}
  only: {charm: "local:only-0", num_units: 1, require: [db]}
relations:
- ["web:db", "kv:db"]
- ["cache:db", "more:other"]
- ["only:db", "more:other"]
- ["web:db", "far:db"]
- ["cache:db", "near:db"]
`;
interface Turn {
  readonly text: string;
  readonly flags?: { readonly prune: true; readonly replace?: readonly string[] };
}
/** Files that are applied one after the other. */
const shops: readonly (readonly [Turn, Turn])[] = [
  [{ text: whole }, { text: edited, flags: { prune: true } }],
  [
    { text: consuming },
    { text: replacing, flags: { prune: true, replace: ['cache', 'web', 'only', 'offer:store'] } },
  ],
];
/** For each of the shops' files: the model after it, and the number of requests of its apply. */
const expected: { state: unknown; requests: number }[][] = [];

beforeAll(async () => {
  for (const name of ['site', 'only']) folder.charm(name, 'requires:\n  db: {interface: kv}\n');
  controller = await testController();
  await addShopUsers(controller);
  await controller.addModel('far');
  await using far = await fileClient(controller, folder, 'far');
  await far.apply(await far.plan('applications: {kv: {charm: ./kv, offers: {data: {endpoints: [db]}}}}'));
  for (const [shop, turns] of shops.entries()) {
    const model = `whole${shop}`;
    await controller.addModel(model);
    expected.push([]);
    for (const { text, flags } of turns) {
      let requests = 0;
      await using client = await fileClient(controller, folder, model, () => void requests++);
      const prepared = await client.plan(text, flags);
      requests = 0;
      await client.apply(prepared);
      expected[shop]!.push({ requests, state: await stateIn(client, model) });
    }
  }
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

/** What the model has, with the same name for each model. */
async function stateIn(client: FileClient, model: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await client.state()).replaceAll(model, 'MODEL'));
}

interface Kill {
  readonly shop: 0 | 1;
  /** The file of the shop. */
  readonly file: 0 | 1;
  /** The request before which, or right after which, the kill comes: a share of all. */
  readonly share: number;
  readonly what: 'client before' | 'client after' | 'controller';
  readonly parallel: number;
}
let models = 0;

/** Applies the file, is killed, and applies it again as often as that takes. */
async function applyKilled(model: string, { text, flags }: Turn, kill: Kill, at: number): Promise<void> {
  let requests = -1;
  let restarted: Promise<void> | undefined;
  let client: FileClient | undefined;
  client = await fileClient(controller, folder, model, async () => {
    if (requests < 0 || requests++ !== at) return;
    if (kill.what === 'controller') {
      restarted = controller.restart();
      await restarted;
    } else if (kill.what === 'client before') client?.kill();
    else setImmediate(() => client?.kill());
  });
  const prepared = await client.plan(text, flags);
  requests = 0;
  await client.apply(prepared, kill.parallel).catch(() => undefined);
  client.kill();
  await restarted;
  await using next = await fileClient(controller, folder, model);
  // The controller notices the end of the other's connection a moment later.
  await expect
    .poll(async () => (await call(next.session.connection, 'ModelFiles', 'Status', {})).holder)
    .toBeUndefined();
  await next.apply(await next.plan(text, flags), kill.parallel);
}

test('property: an apply that is killed at any request, with the controller or alone, ends the same when it is run again', async () => {
  const kills = fc.record<Kill>({
    shop: fc.constantFrom(0, 1),
    file: fc.constantFrom(0, 1),
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    what: fc.constantFrom('client before', 'client after', 'controller'),
    parallel: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(kills, async (kill) => {
      const model = `k${models++}`;
      await controller.addModel(model);
      for (const [n, turn] of shops[kill.shop]!.entries()) {
        const { state, requests } = expected[kill.shop]![n]!;
        const at = n === kill.file ? Math.floor(kill.share * requests) : Infinity;
        await applyKilled(model, turn, kill, at);
        await using client = await fileClient(controller, folder, model);
        expect(await stateIn(client, model)).toEqual(state);
        expect((await client.plan(turn.text, { prune: true })).plan.steps).toEqual([]);
      }
    }),
    { numRuns: isThorough ? 60 : 4 },
  );
});
