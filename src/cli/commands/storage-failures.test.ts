import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  mkdirSync(join(cli.folder, 'keeper', 'hooks'), { recursive: true });
  const storage = { data: { type: 'filesystem', multiple: { range: '0-2' } }, one: { type: 'filesystem' } };
  writeFileSync(
    join(cli.folder, 'keeper', 'metadata.yaml'),
    `name: keeper\nsummary: s\ndescription: d\nseries: [noble]\nstorage: ${JSON.stringify(storage)}\n`,
  );
  for (const line of ['add-model shop', 'deploy ./keeper'])
    expect(await cli.run(line)).toMatchObject({ code: 0 });
});

const noStorage = (name: string): string => `charm "keeper" has no storage called "${name}"`;

test.each<[name: string, line: string, lines: string[]]>([
  [
    'a failure is said as Juju says it',
    'add-storage keeper/0 wrong',
    [`failed to add storage "wrong" to keeper/0: ${noStorage('wrong')}`],
  ],
  [
    'what was added comes first, and storages are in the order of their names',
    'add-storage keeper/0 wrong data a',
    [
      'added storage data/1 to keeper/0',
      `failed to add storage "a" to keeper/0: ${noStorage('a')}`,
      `failed to add storage "wrong" to keeper/0: ${noStorage('wrong')}`,
    ],
  ],
  [
    'what is wrong with the unit is said once',
    'add-storage keeper/7 data one',
    ['unit "keeper/7" not found'],
  ],
  [
    'a storage that the charm needs is not detached',
    'detach-storage one/0',
    ['failed to detach one/0: cannot detach, storage is singular'],
  ],
  [
    'storage that is in use is not removed, and what helps is said once',
    'remove-storage one/0 data/9',
    [
      'failed to remove one/0: storage is attached',
      'failed to remove data/9: storage "data/9" not found',
      '\nUse the --force option to remove attached storage, or use',
      '"detach-storage" to explicitly detach the storage before removing.',
    ],
  ],
  [
    'what was attached comes first',
    'attach-storage keeper/0 data/9 one/0',
    ['attaching one/0 to keeper/0', 'failed to attach data/9 to keeper/0: storage "data/9" not found'],
  ],
])('%s: %s', async (_, line, lines) => {
  expect(await cli.run(line)).toEqual({ code: 1, stdout: '', stderr: `${lines.join('\n')}\n` });
});

test.each([
  ['add-storage keeper/0', 'add-storage requires a unit and a storage directive'],
  ['add-storage keeper/0 data data=1G', 'storage "data" specified more than once'],
])('%s is refused', async (line, message) => {
  expect(await cli.run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) as string });
});
