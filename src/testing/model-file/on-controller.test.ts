/** Properties of model files on a real controller: random models are applied, exported, and edited. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import type { PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import { testController, type TestController } from '../controller.ts';
import fc from '../fast-check.ts';
import { isThorough } from '../thorough.ts';
import { fileClient, FileFolder } from './client.ts';
import { editsOf, rawFiles, type RawFile } from './random-files.ts';
import { lineOf } from './world.ts';

let controller: TestController;
const folder = new FileFolder();
beforeAll(async () => {
  controller = await testController();
  const connection = await controller.connect();
  const users = ['bob', 'eve', 'new'].map((username) => ({
    username,
    'display-name': '',
    password: 'x-password',
  }));
  await call(connection, 'UserManager', 'AddUser', { users });
  await connection.close();
  folder.charm('mysql', 'provides:\n  db: {interface: mysql}\n');
  folder.charm('wordpress', 'requires:\n  db: {interface: mysql, optional: false}\n');
  folder.charm('web', '');
  for (const charm of ['mysql', 'wordpress', 'web'])
    folder.write(`${charm}/config.yaml`, 'options: {port: {type: int}}\n');
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

/** The file's text; pools have attributes that their provider knows, and no cloud is asked for a zone. */
function textOf(file: RawFile): string {
  const pools = Object.keys(file['storage-pools']).map((name) => [
    name,
    { provider: 'tmpfs', attributes: { size: '1G' } },
  ]);
  const applications = Object.entries(file.applications).map(([name, { to = [], ...one }]) => [
    name,
    { ...one, to: to.map((place) => (place.startsWith('zone=') ? 'new' : place)) },
  ]);
  const whole = {
    name: 'shop',
    ...file,
    'storage-pools': Object.fromEntries(pools),
    applications: Object.fromEntries(applications),
    // A secret is not made without a content.
    secrets: Object.fromEntries(
      Object.entries(file.secrets).map(([name, one]) => [
        name,
        { ...one, content: { key: { env: 'PASSWORD' } } },
      ]),
    ),
  };
  return toYaml(JSON.parse(JSON.stringify(whole).replaceAll('${', () => '$${')));
}

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
