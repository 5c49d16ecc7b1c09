/** Command apply, against a controller with a simulated cloud whose machines never start. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { cli, prepareCli, succeed as ok } from '../../testing/cli-world.ts';

let models = 0;

prepareCli(() => {
  for (const name of ['kv', 'web']) {
    mkdirSync(join(cli.folder, name, 'hooks'), { recursive: true });
    write(`${name}/metadata.yaml`, `name: ${name}\nsummary: s\ndescription: d\n`);
  }
});
beforeEach(async () => {
  await ok(`add-model a${models++}`);
  write(
    'model.yaml',
    'name: shop\napplications: {kv: {charm: ./kv, num_units: 0}, web: {charm: ./web, num_units: 0}}\n',
  );
});

function write(name: string, content: string): void {
  writeFileSync(join(cli.folder, name), content);
}
const applications = async (): Promise<string[]> =>
  Object.keys(
    (JSON.parse((await ok('status --format json')).stdout) as { applications: object }).applications,
  ).sort();

test('an apply shows the plan, asks, and does it; a second one has nothing to ask', async () => {
  const { stdout, stderr } = await ok('apply model.yaml', 'y\n');
  expect(stdout).toMatch(/^Plan for model .*\n\n\+ application kv\n/s);
  expect(stderr).toContain('Continue [y/N]?');
  expect(stderr).toMatch(/- deploy application kv .*Apply completed\.\n$/s);
  const again = await ok('apply model.yaml');
  expect(again.stdout).toContain('Nothing to change');
  expect(again.stderr).toBe('');
});

test.each([
  ['without an answer', 'apply model.yaml', undefined],
  ['with another answer than yes', 'apply model.yaml', 'n\n'],
])('an apply %s changes nothing', async (_, line, stdin) => {
  const { code, stderr } = await cli.run(line, stdin === undefined ? {} : { input: stdin });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('apply: aborted') as string,
  });
  expect(await applications()).toEqual([]);
});

test('a dry run shows the plan and asks nothing', async () => {
  const { stdout, stderr } = await ok('apply model.yaml --dry-run');
  expect(stdout).toContain('2 to add, 0 to change, 0 to remove.');
  expect(stderr).toBe('');
  expect(await applications()).toEqual([]);
});

test('what the file no longer names goes with --prune alone', async () => {
  await ok('apply model.yaml --no-prompt --parallel 4');
  await ok('deploy ./web by-hand -n 0');
  write('model.yaml', 'name: shop\napplications: {kv: {charm: ./kv, num_units: 0}}\n');
  const kept = await ok('apply model.yaml --no-prompt');
  expect(kept.stdout).toContain('--prune removes it:\n  - application web\n');
  expect(await applications()).toEqual(['by-hand', 'kv', 'web']);
  await ok('apply model.yaml --no-prompt --prune');
  expect(await applications()).toEqual(['by-hand', 'kv']);
});

test.each([[''], ['--overlay more.yaml ']])(
  'a misspelt section of a file %sremoves nothing: the apply is refused with the right one',
  async (overlay) => {
    await ok('apply model.yaml --no-prompt');
    write('more.yaml', 'aplications: {kv: {num_units: 1}}\n');
    if (overlay === '') write('model.yaml', 'name: shop\naplications: {kv: {charm: ./kv}}\n');
    expect(await cli.run(`apply model.yaml ${overlay}--prune --no-prompt`)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'ERROR the model file cannot be used: aplications: unknown key: write "applications", or remove it\n',
    });
    expect(await applications()).toEqual(['kv', 'web']);
  },
);

test('a replacement is refused until it is allowed', async () => {
  await ok('apply model.yaml --no-prompt');
  write(
    'model.yaml',
    'name: shop\napplications: {kv: {charm: ./web, num_units: 0}, web: {charm: ./web, num_units: 0}}\n',
  );
  const refused = await cli.run('apply model.yaml --no-prompt');
  expect(refused).toMatchObject({
    code: 1,
    stderr: 'ERROR the plan cannot be applied without replacements: allow them with --replace kv\n',
  });
  const { stderr } = await ok('apply model.yaml --no-prompt --replace kv');
  expect(stderr).toContain('- remove application kv to replace it\n');
  expect((await ok('status')).stdout).toMatch(/^kv .* web /m);
});

test('--wait ends when all applications are as asked, and says after the time-out which are not', async () => {
  write(
    'model.yaml',
    'name: shop\napplications: {kv: {charm: ./kv, num_units: 1}, web: {charm: ./web, num_units: 1}}\n',
  );
  await ok(`apply model.yaml --no-prompt --wait life=="alive"`);
  const { code, stderr } = await cli.run('apply model.yaml --no-prompt --wait active --timeout 1ms');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^waiting for (kv \([^)]+\), web \([^)]+\))\nERROR timed out waiting for \1\n$/);
});

test('--wait active does not wait for applications without units, and a query does', async () => {
  mkdirSync(join(cli.folder, 'side/hooks'), { recursive: true });
  write(
    'side/metadata.yaml',
    'name: side\nsummary: s\ndescription: d\nsubordinate: true\nrequires: {host: {interface: juju-info, scope: container}}\n',
  );
  const file = (units: number): string =>
    `name: shop\napplications: {kv: {charm: ./kv, num_units: ${units}}, side: {charm: ./side}}\nrelations: [[side:host, kv:juju-info]]\n`;
  write('model.yaml', file(0));
  const { stderr } = await ok('apply model.yaml --no-prompt --wait active --timeout 1ms');
  expect(stderr).toMatch(/All applications of the file are as --wait asks\.\n$/);
  const query = await cli.run(`apply model.yaml --no-prompt --wait status=="active" --timeout 1ms`);
  expect(query).toMatchObject({ code: 1, stderr: expect.stringMatching(/timed out waiting/) as string });
  write('model.yaml', file(1));
  const waiting = await cli.run('apply model.yaml --no-prompt --wait active --timeout 1ms');
  expect(waiting.stderr).toMatch(/^ERROR timed out waiting for kv \(.*\), side \(.*\)$/m);
});

test.each([
  ['--parallel 0', '--parallel must be between 1 and 64'],
  ['--parallel 65', '--parallel must be between 1 and 64'],
  ['--wait nonsense', 'Cannot execute query: '],
])('an apply with %s is refused before anything is read', async (flags, message) => {
  const { code, stderr } = await cli.run(`apply model.yaml ${flags}`);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a trusted application has to be allowed', async () => {
  write('model.yaml', 'applications: {kv: {charm: ./kv, num_units: 0, trust: true}}\n');
  const { stderr } = await cli.run('apply model.yaml --no-prompt');
  expect(stderr).toContain('repeat the apply command with the --trust argument');
  await ok('apply model.yaml --no-prompt --trust');
});
