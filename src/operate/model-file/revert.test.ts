/** Reverts on a real controller, without a terminal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { lineOf } from '../../testing/model-file/world.ts';
import type { PreparedModel } from './prepare-model.ts';

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
  const name = `r${models++}`;
  await controller.addModel(name);
  return name;
}

const linesOf = ({ document }: PreparedModel): string[] => document.changes.map(lineOf);
const leftOf = ({ document }: PreparedModel): string[] => document.revert!.left.map(({ text }) => text);

async function exported(client: FileClient): Promise<unknown> {
  return ((await client.state()) as { file: unknown }).file;
}

async function revisionNow({ session }: FileClient): Promise<number> {
  return (await call(session.connection, 'ModelFiles', 'Owned', { file: 'shop' })).revision;
}

describe('reverts', () => {
  test('a model that was edited everywhere is what it was, and back', async () => {
    await using client = await fileClient(controller, folder, await newModel());
    await client.apply(await client.plan(whole));
    const [first, then] = [await revisionNow(client), await exported(client)];
    await client.apply(await client.plan(edited, { prune: true }));
    const [second, since] = [await revisionNow(client), await exported(client)];
    expect(since).not.toEqual(then);

    const plan = await client.planRevert({ revision: first });
    console.log(linesOf(plan), leftOf(plan));
    await client.apply(plan);
    expect(await exported(client)).toEqual(then);
    expect(linesOf(await client.planRevert({ revision: first }))).toEqual([]);

    await client.apply(await client.planRevert({ revision: second }));
    expect(await exported(client)).toEqual(since);
  });
});
