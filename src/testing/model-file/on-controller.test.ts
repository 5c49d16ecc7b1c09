/** Properties of model files on a real controller: random models are applied, exported, and edited. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import { testController, type TestController } from '../controller.ts';
import fc from '../fast-check.ts';
import { isThorough } from '../thorough.ts';
import { fileClient } from './client.ts';
import { editsOf, rawFiles } from './random-files.ts';
import { addRandomSpace, addRandomUsers, randomFolder, textOf } from './random-text.ts';
import { lineOf } from './world.ts';

let controller: TestController;
const folder = randomFolder();
beforeAll(async () => {
  controller = await testController();
  await addRandomUsers(controller);
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

const linesOf = ({ document }: PreparedModel): string[] => document.changes.map(lineOf);

let models = 0;
async function newModel(): Promise<string> {
  const name = `m${models++}`;
  await controller.addModel(name);
  return name;
}

test('the plan of an applied file and of its exported model is empty, and that of an edit names the edit', async () => {
  await fc.assert(
    fc.asyncProperty(rawFiles, fc.nat(), async (file, which) => {
      await using client = await fileClient(controller, folder, await newModel());
      await addRandomSpace(client);
      await client.apply(await client.plan(textOf(file), { prune: true }));
      expect(linesOf(await client.plan(textOf(file), { prune: true }))).toEqual([]);
      const { file: exported } = (await client.state()) as { file: object };
      expect(linesOf(await client.plan(toYaml(exported), { prune: true }))).toEqual([]);

      const edits = editsOf(file);
      const { file: edited, changes } = edits[which % edits.length]!;
      const plan = await client.plan(textOf(edited), { prune: true });
      expect(linesOf(plan)).toEqual(changes);
      await client.apply(plan);
    }),
    { numRuns: isThorough ? 40 : 3 },
  );
});
