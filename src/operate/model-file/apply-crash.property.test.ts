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
/** The model after `whole`, and after `edited` with --prune; and the number of requests of each apply. */
const expected: { state: unknown; requests: number }[] = [];
const files = [
  { text: whole, prune: false },
  { text: edited, prune: true },
] as const;

beforeAll(async () => {
  controller = await testController();
  await addShopUsers(controller);
  await controller.addModel('whole');
  for (const { text, prune } of files) {
    let requests = 0;
    await using client = await fileClient(controller, folder, 'whole', () => void requests++);
    const prepared = await client.plan(text, { prune });
    requests = 0;
    await client.apply(prepared);
    expected.push({ requests, state: await client.state() });
  }
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

interface Kill {
  readonly file: 0 | 1;
  /** The request before which, or right after which, the kill comes: a share of all. */
  readonly share: number;
  readonly what: 'client before' | 'client after' | 'controller';
  readonly parallel: number;
}
let models = 0;

/** Applies the file, is killed, and applies it again as often as that takes. */
async function applyKilled(
  model: string,
  { text, prune }: (typeof files)[number],
  kill: Kill,
  at: number,
): Promise<void> {
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
  const prepared = await client.plan(text, { prune });
  requests = 0;
  await client.apply(prepared, kill.parallel).catch(() => undefined);
  client.kill();
  await restarted;
  await using next = await fileClient(controller, folder, model);
  // The controller notices the end of the other's connection a moment later.
  await expect
    .poll(async () => (await call(next.session.connection, 'ModelFiles', 'Status', {})).holder)
    .toBeUndefined();
  await next.apply(await next.plan(text, { prune }), kill.parallel);
}

test('property: an apply that is killed at any request, with the controller or alone, ends the same when it is run again', async () => {
  const kills = fc.record<Kill>({
    file: fc.constantFrom(0, 1),
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    what: fc.constantFrom('client before', 'client after', 'controller'),
    parallel: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(kills, async (kill) => {
      const model = `k${models++}`;
      await controller.addModel(model);
      for (const [n, file] of files.entries()) {
        const at = n === kill.file ? Math.floor(kill.share * expected[n]!.requests) : Infinity;
        await applyKilled(model, file, kill, at);
        await using client = await fileClient(controller, folder, model);
        expect(await client.state()).toEqual(expected[n]!.state);
        expect((await client.plan(file.text, { prune: true })).plan.steps).toEqual([]);
      }
    }),
    { numRuns: isThorough ? 60 : 4 },
  );
});
