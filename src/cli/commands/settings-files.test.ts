/** Output of config commands is their input: from one model to another, through a pipe. */
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  expect(await cli.run('add-model shop')).toMatchObject({ code: 0 });
});

const ok = async (line: string, input = ''): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line.split(' '), { input });
  expect(code, stderr).toBe(0);
  return stdout;
};

test.each(['yaml', 'json'])('model-config reads the %s that it printed', async (format) => {
  await ok('model-config http-proxy=http://proxy:3128');
  const printed = await ok(`model-config --format ${format}`);
  await ok('model-config --reset http-proxy');
  await ok('model-config --ignore-read-only-fields --file -', printed);
  expect(await ok('model-config http-proxy')).toBe('http://proxy:3128\n');
  await ok('model-config --ignore-agent-version -', printed);
});

test('model-defaults reads the yaml that it printed: the values of the controller and of regions', async () => {
  await ok('model-defaults ftp-proxy=http://proxy:3128');
  const printed = await ok('model-defaults --format yaml');
  await ok('model-defaults --reset ftp-proxy');
  await ok('model-defaults --ignore-read-only-fields --file -', printed);
  const shown = JSON.parse(await ok('model-defaults ftp-proxy --format json')) as unknown;
  expect(shown).toEqual({ 'ftp-proxy': { default: '', controller: 'http://proxy:3128' } });
});

test('controller-config reads the yaml that it printed', async () => {
  const printed = await ok('controller-config --format yaml');
  await ok('controller-config --ignore-read-only-fields --file -', printed);
});
