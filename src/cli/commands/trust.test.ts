import { expect, test } from 'vitest';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  mkdirSync(join(cli.folder, 'web', 'hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'web', 'metadata.yaml'),
    'name: web\nsummary: s\ndescription: d\nseries: [noble]\n',
  );
  for (const line of ['add-model shop', 'deploy ./web'])
    expect(await cli.run(line)).toMatchObject({ code: 0 });
});

test('trust is given to an application and taken away', async () => {
  const isTrusted = async (): Promise<string> => (await cli.run('config web trust')).stdout;
  expect(await cli.run('trust web')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await isTrusted()).toBe('true\n');
  expect(await cli.run('trust web --remove')).toMatchObject({ code: 0 });
  expect(await isTrusted()).toBe('false\n');
  // Scripts for both kinds of models give the flag --scope.
  expect(await cli.run('trust web --scope=cluster')).toMatchObject({ code: 0 });
  expect(await isTrusted()).toBe('true\n');
});

test.each([
  ['trust', 2, 'no application name specified'],
  ['trust web more', 2, 'unrecognized args: ["more"]'],
  ['trust web --scope model', 2, 'scope "model" not valid'],
  ['trust none', 1, 'application "none" not found'],
])('%s is refused', async (line, code, message) => {
  const { stderr, ...run } = await cli.run(line);
  expect({ code: run.code, stderr }).toEqual({ code, stderr: expect.stringContaining(message) as string });
});
