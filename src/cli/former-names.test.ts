import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../testing/cli-world.ts';

prepareCli(async () => {
  mkdirSync(join(cli.folder, 'web', 'hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'web/metadata.yaml'),
    'name: web\nsummary: s\ndescription: d\nseries: [jammy]\n',
  );
  writeFileSync(join(cli.folder, 'b.yaml'), 'applications: {web: {charm: ./web}}\n');
  expect(await cli.run('add-model shop')).toMatchObject({ code: 0 });
});

const out = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line);
  return `${code}: ${stderr}${stdout}`;
};

test('--series is the base of that series, for applications and for machines', async () => {
  expect(await out('deploy ./web --series jammy')).toContain('on ubuntu@22.04/stable\n');
  expect(await out('show-application web')).toContain('base: ubuntu@22.04\n');
  expect(await out('add-machine --series focal')).toMatch(/^0: created machine \d+\n$/);
  expect(await out('machines')).toContain('ubuntu@20.04');
});

test.each([
  [
    'deploy ./web two --series jammy --base ubuntu@22.04',
    2,
    '--series and --base cannot be specified together',
  ],
  ['add-machine --series jammy --base ubuntu@22.04', 2, '--series and --base cannot be specified together'],
  ['deploy ./web two --series utopian', 1, 'series "utopian" is not known: use --base'],
  ['add-machine --series constructor', 1, 'series "constructor" is not known: use --base'],
  ['add-machine ssh:host --series jammy', 2, 'cannot use --base with ssh'],
  ['deploy ./b.yaml --series jammy', 2, 'not supported when deploying a bundle: --series'],
  ['diff-bundle ./b.yaml --series jammy', 2, '--series is for bundles from Charmhub'],
])('%s ends with %i: %s', async (line, code, message) => {
  const refused = await cli.run(line);
  expect(refused).toMatchObject({ code });
  expect(refused.stderr).toContain(message);
});

test('settings that are not known are set with a warning', async () => {
  const warning =
    'WARNING key "colour" is not defined in the current model configuration: possible misspelling\n';
  expect(await out('model-config --reset colour')).toBe(`0: ${warning}`);
  expect(await out('model-config colour=blue')).toBe(`0: ${warning}`);
  expect(await out('model-config colour=red')).toBe('0: ');
  expect(await out('model-config extra-info=x')).toBe('0: ');
  expect(await out('model-config colour')).toBe('0: red\n');
  expect(await out('model-config --reset colour')).toBe('0: ');
});

test('settings that are kept without effect are set with a warning', async () => {
  const warning = 'WARNING key "test-mode" is kept, and has no effect on this controller\n';
  expect(await out('model-config test-mode=true')).toBe(`0: ${warning}`);
  expect(await out('model-config --reset test-mode')).toBe('0: ');
  expect(await out('model-defaults test-mode=true')).toBe(`0: ${warning}`);
});

test('the setting default-series is the former name of default-base, wherever it is set', async () => {
  expect(await out('model-config default-series=jammy')).toBe('0: ');
  expect(await out('model-config default-base')).toBe('0: ubuntu@22.04\n');
  expect(await out('model-config default-series')).toBe('0: jammy\n');
  expect(await out('model-config')).toMatch(/^default-series +model +jammy$/m);
  expect(await out('model-config --reset default-series')).toBe('0: ');
  expect(await out('model-config default-base')).toBe('0: \n');
  expect(await out('model-config default-series')).toBe('0: \n');
  expect(await out('model-config default-series=utopian')).toContain(
    '1: ERROR default-series: series "utopian"',
  );
  expect(await out('model-config default-series=jammy default-base=ubuntu@24.04')).toContain(
    'cannot set both default-series and default-base',
  );
  expect(await out('model-defaults default-series=focal')).toBe('0: ');
  expect(await out('add-model old')).toContain("Added 'old' model");
  expect(await out('model-config -m old default-base')).toBe('0: ubuntu@20.04\n');
  expect(await out('add-model new --config default-series=noble')).toContain("Added 'new' model");
  expect(await out('model-config -m new default-base')).toBe('0: ubuntu@24.04\n');
  expect(await out('model-defaults --reset default-series')).toBe('0: ');
});

test('settings that model-config wrote, with base and series, are set again by --file', async () => {
  expect(await out('add-model copied --config default-base=ubuntu@22.04')).toContain('Added');
  const { stdout } = await cli.run('model-config -m copied --format yaml');
  expect(stdout).toContain('default-series:');
  writeFileSync(join(cli.folder, 'saved.yaml'), stdout);
  expect(await out('model-config -m copied --reset default-base')).toBe('0: ');
  expect(
    await out(`model-config -m copied --ignore-read-only-fields --file ${join(cli.folder, 'saved.yaml')}`),
  ).toBe('0: ');
  expect(await out('model-config -m copied default-series')).toBe('0: jammy\n');
});
