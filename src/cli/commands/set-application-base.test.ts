import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  mkdirSync(join(cli.folder, 'web', 'hooks'), { recursive: true });
  const metadata = 'name: web\nsummary: s\ndescription: d\nseries: [jammy]\n';
  writeFileSync(join(cli.folder, 'web/metadata.yaml'), metadata);
  for (const line of ['add-model shop', 'deploy ./web'])
    expect(await cli.run(line)).toMatchObject({ code: 0 });
});

const base = async (): Promise<string | undefined> =>
  /base: (.*)/.exec((await cli.run('show-application web')).stdout)?.[1];

test('the base of an application is one of the charm’s, unless it is forced, and always a version of Ubuntu', async () => {
  const refused = await cli.run('set-application-base web ubuntu@24.04');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('base "ubuntu@24.04" not supported by charm');
  expect(await base()).toBe('ubuntu@22.04');
  expect(await cli.run('set-application-base web ubuntu@24.04 --force')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
  expect(await base()).toBe('ubuntu@24.04');
  for (const force of ['', ' --force'])
    expect(await cli.run(`set-application-base web debian@12${force}`)).toMatchObject({
      code: 1,
      stderr: 'ERROR bases are set to versions of Ubuntu only, not to "debian@12"\n',
    });
  expect(await base()).toBe('ubuntu@24.04');
});
