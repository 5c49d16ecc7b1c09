import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  mkdirSync(join(cli.folder, 'web', 'hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'web', 'metadata.yaml'),
    `name: web
summary: s
description: d
series: [noble]
resources:
  blob: {filename: blob.tgz, description: bytes}
  image: {type: oci-image}
`,
  );
  mkdirSync(join(cli.folder, 'plain', 'hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'plain', 'metadata.yaml'),
    'name: plain\nsummary: s\ndescription: d\nseries: [noble]\n',
  );
  writeFileSync(join(cli.folder, 'one.tgz'), 'one');
  writeFileSync(join(cli.folder, 'two.tgz'), 'two!');
  writeFileSync(join(cli.folder, 'x.zip'), 'x');
  expect(await cli.run('add-model shop')).toMatchObject({ code: 0 });
});

test.each([
  ['deploy ./web a --resource other=one.tgz', 1, 'unrecognized resource "other"'],
  [
    'deploy ./web a --resource blob=none.tgz',
    1,
    'file for resource "blob": open none.tgz: no such file or directory',
  ],
  ['deploy ./web a --resource blob=7', 1, 'resource "blob" revision not found, provide via --resource'],
  [
    'deploy ./web a --resource blob=x.zip',
    1,
    'incorrect extension on resource upload "x.zip", expected ".tgz"',
  ],
  ['deploy ./web a --resource blob', 2, 'expected name=path format for --resource, got "blob"'],
  ['deploy ./web a --resource blob=one.tgz --resource blob=two.tgz', 2, 'resource "blob" is given twice'],
  ['attach-resource web blob', 2, 'expected name=path format, got "blob"'],
  ['attach-resource none blob=one.tgz', 1, 'application "none" not found'],
  ['attach-resource', 2, 'missing application name'],
  ['attach-resource web', 2, 'no resource specified'],
  ['resources none', 1, 'application "none" not found'],
  ['resources', 2, 'missing application or unit name'],
  ['charm-resources mysql', 1, 'Charmhub is not supported'],
])('%s fails with %i: %s', async (line, code, message) => {
  const result = await cli.run(line);
  expect(result.stderr).toContain(message);
  expect(result.code).toBe(code);
});

test('a deploy sends resources along, attach-resource replaces them, resources lists them', async () => {
  expect(await cli.run('deploy ./web --resource blob=one.tgz --resource image=a/b:1')).toMatchObject({
    code: 0,
  });
  const { stdout } = await cli.run('resources web --format json');
  const listed = JSON.parse(stdout) as { resources: Record<string, unknown>[] };
  expect(listed.resources).toMatchObject([
    {
      resourceid: 'web/blob',
      applicationId: 'web',
      name: 'blob',
      type: 'file',
      path: 'blob.tgz',
      description: 'bytes',
      revision: '0',
      fingerprint: /^[0-9a-f]{96}$/.exec(String(listed.resources[0]?.['fingerprint']))?.[0],
      size: 3,
      origin: 'upload',
      used: true,
      username: 'admin',
    },
    { name: 'image', type: 'oci-image', used: true },
  ]);
  expect(await cli.run('attach-resource web blob=two.tgz')).toMatchObject({ code: 0 });
  const table = (await cli.run('resources web')).stdout;
  expect(table).toMatch(
    /^Resource {2}Supplied by {2}Revision\nblob {6}admin {8}\d{4}-\d\d-\d\dT\d\d:\d\d\nimage/,
  );
  for (const [given, why] of [
    ['other=two.tgz', 'resource "other" not found'],
    ['blob=7', 'file for resource "blob": open 7: no such file or directory'],
    ['blob=x.zip', 'incorrect extension on resource upload "x.zip", expected ".tgz"'],
  ]) {
    const { code, stderr } = await cli.run(`attach-resource web ${given}`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(why!) as string });
    expect(stderr).toContain('failed to upload resource "');
  }
  expect((await cli.run('history web')).stdout).toContain('resource blob uploaded');
});

test('a unit has no resource before its charm asks for it', async () => {
  const unit = (await cli.run('resources web/0')).stdout;
  expect(unit).toBe('Resource  Revision\nblob      -\nimage     -\n');
  const details = (await cli.run('resources web --details')).stdout;
  expect(details).toMatch(/^Unit {3}Resource {2}Revision {2}Expected\nweb\/0 {2}blob {6}- {9}\d{4}-/);
  const json = JSON.parse((await cli.run('resources web/0 --details --format json')).stdout) as object[];
  expect(json[0]).toMatchObject({
    unitID: 'web/0',
    unit: { name: 'blob', revision: '-', used: false },
    expected: { name: 'blob', size: 4, used: true },
  });
  expect(await cli.run('resources web/9')).toMatchObject({ code: 1 });
});

test('the list of an application without resources says that there are none to display', async () => {
  await cli.run('deploy ./plain');
  expect(await cli.run('resources plain')).toMatchObject({
    code: 0,
    stderr: 'No resources to display.\n',
  });
  expect((await cli.run('resources plain --format json')).stdout).toBe('{}\n');
});

test('a charm’s resources are listed from its files', async () => {
  expect((await cli.run('charm-resources ./web')).stdout).toBe(
    'Resource  Revision\nblob      -\nimage     -\n',
  );
  expect(JSON.parse((await cli.run('charm-resources ./web --format json')).stdout)).toMatchObject([
    { name: 'blob', type: 'file', path: 'blob.tgz', origin: 'upload' },
    { name: 'image', type: 'oci-image' },
  ]);
});
