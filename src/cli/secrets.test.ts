import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, controller, prepareCli, writeCharm, outputOf as ok } from '../testing/cli-world.ts';

prepareCli(async () => {
  await cli.run('add-model shop');
  writeCharm('app');
  await ok('deploy ./app');
});

const show = async (line: string): Promise<Record<string, unknown>> => {
  const shown = JSON.parse(await ok(`show-secret ${line} --format json`)) as Record<string, object>;
  return Object.values(shown)[0] as Record<string, unknown>;
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;

test('a secret is added, shown, changed, granted, revoked and removed', async () => {
  expect(await ok('secrets')).toBe('');
  writeFileSync(join(cli.folder, 'key.pem'), Buffer.from('PEM\n'));
  const uri = (
    await ok([
      'add-secret',
      'api',
      'token=s3cret-one',
      'cert#file=key.pem',
      'raw#base64=AA==',
      '--info',
      'for tests',
    ])
  ).trim();
  expect(uri).toMatch(/^secret:[0-9a-v]{20}$/);
  const id = uri.slice('secret:'.length);
  expect((await ok('secrets')).replace(/[a-z0-9 ]+ago|just now/, 'AGO')).toBe(
    `ID                    Name  Owner    Rotation  Revision  Last updated\n${id}  api   <model>  never            1  AGO\n`,
  );
  expect(await show('api')).toEqual({
    revision: 1,
    owner: '<model>',
    description: 'for tests',
    name: 'api',
    created: time,
    updated: time,
  });
  expect(await show(`${uri} --reveal`)).toMatchObject({
    checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    content: { Data: { token: 's3cret-one', cert: 'PEM\n', raw: '\0' } },
  });

  await ok(['update-secret', 'api', 'token=s3cret-two', '--name', 'renamed', '--info', 'new']);
  expect(await show('renamed --revisions')).toMatchObject({
    revision: 2,
    description: 'new',
    revisions: [
      { revision: 1, backend: 'internal' },
      { revision: 2, backend: 'internal' },
    ],
  });
  expect(await ok(`show-secret ${id} --reveal --revision 1`)).toContain('\n  content:\n    cert: |\n');
  await ok('grant-secret renamed app');
  const uuid = (await cli.store.models('ctrl'))['admin/shop']!.uuid;
  expect(await show('renamed')).toMatchObject({
    access: [{ target: 'application-app', scope: `model-${uuid}`, role: 'view' }],
  });
  await ok('revoke-secret renamed app');
  expect(await show('renamed')).not.toHaveProperty('access');

  await ok('update-secret renamed --auto-prune');
  expect(await show('renamed --revisions')).toMatchObject({ revisions: [{ revision: 2 }] });
  await ok(`remove-secret ${uri}`);
  expect(await ok('secrets --format json')).toBe('{}\n');
});

test('the flag --file reads YAML or JSON, and replaces the values of arguments', async () => {
  writeFileSync(join(cli.folder, 'values.yaml'), 'password: 0644\nother: a b\n');
  await ok('add-secret filed ignored=x --file values.yaml');
  expect(await show('filed --reveal')).toMatchObject({
    content: { Data: { password: '0644', other: 'a b' } },
  });
});

test.each([
  ['add-secret', 2, 'missing secret name'],
  ['add-secret x', 2, 'missing secret value or filename'],
  ['add-secret x noequals', 2, 'expected "key=value", got "noequals"'],
  ['add-secret x ab=c', 1, 'secret key "ab" not valid'],
  ['add-secret filed token=x', 1, 'secret with name "filed" already exists'],
  ['add-secret x --file nowhere.yaml', 1, 'no such file: nowhere.yaml'],
  ['update-secret filed', 2, 'must specify either a new value or a setting to change'],
  ['update-secret unknown token=x', 1, 'secret "unknown" not found'],
  ['update-secret secret:x token=x', 2, 'secret URI "secret:x" not valid'],
  ['remove-secret unknown', 1, 'secret "unknown" not found'],
  ['remove-secret filed --revision 0', 2, 'revision must be a positive number'],
  ['show-secret unknown', 1, 'secret "unknown" not found'],
  ['show-secret filed --reveal --revisions', 2, 'specify either --revisions or --reveal but not both'],
  ['grant-secret filed', 2, 'missing application name'],
  ['grant-secret filed nothing', 1, 'failed to grant secret: application "nothing" not found'],
  ['revoke-secret unknown app', 1, 'failed to revoke secret: secret "unknown" not found'],
])('%s: exit code %i, %s', async (line, code, message) => {
  expect(await cli.run(line)).toMatchObject({ code, stderr: `ERROR ${message}\n` });
});

test('contents of secrets are in no file of the controller in clear, nor in history, status or logs', async () => {
  await ok(['add-secret', 'hidden', 'token=needle-in-the-hay']);
  await ok(['update-secret', 'hidden', 'token=another-needle']);
  for (const line of ['history', 'status --format json', 'debug-log --replay --limit 1000 --no-tail'])
    expect((await cli.run(line)).stdout, line).not.toMatch(/needle|bmVlZGxl/);
  expect(await ok('history')).toContain('revision 2 added');
  const folder = controller.dataDir;
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const text = readFileSync(join(name.parentPath, name.name)).toString('latin1');
    expect(
      text.includes('needle') || text.includes(Buffer.from('needle-in').toString('base64')),
      name.name,
    ).toBe(false);
  }
});

test('values of a secret that are too short to be hidden in logs are named when they are stored', async () => {
  const added = await cli.run('add-secret short pin=123 word=abcd');
  expect(added).toMatchObject({
    code: 0,
    stderr: 'WARNING values of fewer than 4 characters are not hidden in logs and statuses: pin\n',
  });
  expect(await cli.run('update-secret short pin=1234')).toMatchObject({ code: 0, stderr: '' });
});
