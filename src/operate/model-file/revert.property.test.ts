/** Reverts of random models to random revisions; and reverts that are killed at a request, and run again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { type TestController } from '../../testing/controller.ts';
import fc from '../../testing/fast-check.ts';
import {
  addShopUsers,
  edited,
  exportedAlike,
  fileClient,
  shopFolder,
  whole,
  type FileClient,
} from '../../testing/model-file/client.ts';
import {
  addRandomSpace,
  addRandomUsers,
  controllerWithoutMachines,
  randomFolder,
  textOf,
} from '../../testing/model-file/random-text.ts';
import { editsOf, rawFiles } from '../../testing/model-file/random-files.ts';
import { lineOf } from '../../testing/model-file/world.ts';
import { isThorough } from '../../testing/thorough.ts';

let controller: TestController;
const [shop, random] = [shopFolder(), randomFolder()];
beforeAll(async () => {
  controller = await controllerWithoutMachines();
  await addShopUsers(controller);
  await addRandomUsers(controller);
});
afterAll(async () => {
  shop[Symbol.dispose]();
  random[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

let models = 0;
async function newModel(): Promise<string> {
  const name = `v${models++}`;
  await controller.addModel(name);
  return name;
}

/** The model without what a revert leaves: secrets and pools that were made since then. */
async function state(client: FileClient): Promise<object> {
  const {
    secrets: _,
    'storage-pools': __,
    ...rest
  } = (await exportedAlike(client)) as Record<string, unknown>;
  return rest;
}

/** Reverts, as often as what goes has to be gone first. */
async function revert(client: FileClient, revision: number, parallel = 1): Promise<void> {
  const plan = await client.planRevert({ revision });
  await client.apply(plan, parallel);
  expect((await client.planRevert({ revision })).document.changes.map(lineOf)).toEqual([]);
}

test('property: a model that was edited at random is what it was at any of its revisions, and can return', async () => {
  const turns = fc.record({
    file: rawFiles,
    edits: fc.array(fc.nat(), { minLength: 1, maxLength: isThorough ? 4 : 1 }),
    to: fc.nat(),
    parallel: fc.constantFrom(1, 8),
  });
  await fc.assert(
    fc.asyncProperty(turns, async ({ file, edits, to, parallel }) => {
      await using client = await fileClient(controller, random, await newModel());
      await addRandomSpace(client);
      const past: { revision: number; state: object }[] = [];
      let now = file;
      for (const edit of [undefined, ...edits]) {
        const all = editsOf(now);
        if (edit !== undefined) now = all[edit % all.length]!.file;
        await client.apply(await client.plan(textOf(now), { prune: true }));
        past.push({ revision: await client.revision(), state: await state(client) });
      }
      for (const then of [past[to % past.length]!, past.at(-1)!]) {
        await revert(client, then.revision, parallel);
        expect(await state(client)).toEqual(then.state);
      }
    }),
    { numRuns: isThorough ? 40 : 1 },
  );
});

test('property: a revert that is killed at any request, with the controller or alone, ends the same when it is run again', async () => {
  const kills = fc.record({
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    what: fc.constantFrom('client before', 'client after', 'controller'),
    parallel: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(kills, async ({ share, what, parallel }) => {
      const model = await newModel();
      let at = Infinity;
      let requests = 0;
      let restarted: Promise<void> | undefined;
      const client = await fileClient(controller, shop, model, async () => {
        if (requests++ !== at) return;
        if (what === 'controller') {
          restarted = controller.restart();
          await restarted;
        } else if (what === 'client before') client.kill();
        else setImmediate(() => client.kill());
      });
      await client.apply(await client.plan(whole));
      const revision = await client.revision();
      const then = await state(client);
      await client.apply(await client.plan(edited, { prune: true }));
      const plan = await client.planRevert({ revision });
      // Each step takes a request or two, beside the beginning and the end.
      requests = 0;
      at = Math.floor(share * (plan.plan.steps.length + 2));
      await client.apply(plan, parallel).catch(() => undefined);
      client.kill();
      await restarted;
      await using next = await fileClient(controller, shop, model);
      // The controller notices the end of the other's connection a moment later.
      await expect
        .poll(async () => (await call(next.session.connection, 'ModelFiles', 'Status', {})).holder)
        .toBeUndefined();
      await revert(next, revision, parallel);
      expect(await state(next)).toEqual(then);
    }),
    { numRuns: isThorough ? 60 : 1 },
  );
});
