import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

function writeCharm(folder: string, name: string, more = ''): void {
  mkdirSync(join(cli.folder, folder, 'hooks'), { recursive: true });
  const text = `name: ${name}\nsummary: s\ndescription: d\nseries: [noble]\n${more}`;
  writeFileSync(join(cli.folder, folder, 'metadata.yaml'), text);
  writeFileSync(join(cli.folder, folder, 'config.yaml'), 'options:\n  port: {type: int, default: 80}\n');
}

prepareCli(async () => {
  writeCharm('web', 'web');
  writeCharm('next', 'web', 'peers: {ring: {interface: ring}}\n');
  writeCharm('other', 'other');
  writeCharm(
    'full',
    'web',
    `resources: {dump: {filename: dump.sql}, more: {filename: more.txt}}
storage: {data: {type: filesystem, multiple: {range: 1-3}}}
`,
  );
  writeFileSync(join(cli.folder, 'dump.sql'), 'select 1');
  writeFileSync(join(cli.folder, 'more.txt'), 'more');
  for (const line of ['add-model shop', 'deploy ./web', 'deploy ./web second'])
    expect(await cli.run(line)).toMatchObject({ code: 0 });
});

const status = async (): Promise<{ charm: string; 'charm-rev': number }> => {
  const { stdout } = await cli.run('status --format json');
  return (JSON.parse(stdout) as { applications: { web: { charm: string; 'charm-rev': number } } })
    .applications.web;
};

test.each([
  ['refresh', 2, 'no application specified'],
  ['refresh none', 1, 'application "none" not found'],
  ['refresh web', 1, 'refreshing a local charm requires either --path or --switch'],
  ['refresh web --path ./web --revision 3', 2, '--path and --revision are mutually exclusive'],
  ['refresh web --switch ./web --path ./web', 2, '--switch and --path are mutually exclusive'],
  ['refresh web --path ./web --storage data=1G', 1, 'the charm has no storage "data"'],
  ['refresh web --path ./web --resource dump=./dump.sql', 1, 'unrecognized resource "dump"'],
  ['refresh web --path ./full --resource dump=./none.sql', 1, 'file for resource "dump"'],
  ['refresh web --path ./full --resource dump=7', 1, 'resource "dump" revision not found, provide via'],
  [
    'refresh web --path ./full --resource dump=./dump.sql',
    1,
    'new resource "more" was missing, please provide it via --resource',
  ],
  ['refresh web --path ./web --base ubuntu@22.04', 1, 'base "ubuntu@22.04" not supported by charm'],
  ['refresh web --path ./web --base ubuntu', 1, 'expected base string to contain os and channel'],
  ['refresh web --switch ch:web', 2, 'Charmhub is not supported'],
  ['refresh web --path ./other', 1, 'cannot refresh "web" to "other"'],
  ['refresh web --switch ./other', 1, 'cannot refresh "web" to "other"'],
  ['refresh none --path ./web', 1, 'application "none" not found'],
  ['refresh web --path ./web --config nope=1', 1, 'unknown option "nope"'],
  ['refresh web --revision 9', 1, 'charm "local:web-9" not found'],
  ['refresh web --path ./web --max-unavailable 2', 2, '--max-unavailable is for --rolling'],
  ['refresh web --path ./web --no-wait', 2, '--no-wait is for --rolling, --resume and --rollback'],
  ['refresh web --path ./web --rolling --pause-after all', 2, '--pause-after takes canary, not "all"'],
  ['refresh web --path ./web --rolling --max-unavailable 0', 1, 'cannot parse --max-unavailable "0"'],
  ['refresh web --path ./web --rolling --wait-for ready', 1, 'cannot parse "ready" in --wait-for'],
  ['refresh web --resume --abort', 2, '--abort and --resume are mutually exclusive'],
  ['refresh web --rollback --force-units', 2, '--rollback and --force-units are mutually exclusive'],
  ['refresh web --rollback', 1, 'application "web" has no rolling refresh'],
  ['refresh web --rollback --dry-run', 1, 'application "web" has no rolling refresh'],
  ['refresh web --abort --dry-run', 2, '--abort and --dry-run are mutually exclusive'],
  ['refresh web --path ./web --dry-run --config nope=1', 1, 'unknown option "nope"'],
])('%s is refused, and no charm is sent', async (line, code, message) => {
  const { stderr, ...rest } = await cli.run(line);
  expect({ code: rest.code, stderr }).toEqual({ code, stderr: expect.stringContaining(message) as string });
  expect(stderr).not.toContain('Added');
  expect(await status()).toMatchObject({ 'charm-rev': 0 });
});

test('a refresh sends the next revision, keeps settings, and says where endpoints are', async () => {
  await cli.run('config web port=81');
  expect(await cli.run('refresh web --path ./next --trust')).toMatchObject({
    code: 0,
    stderr:
      'Added local charm "web", revision 2, to the model\nadding endpoint "ring" to default space "alpha"\n',
  });
  expect(await status()).toMatchObject({ charm: 'local:web-2', 'charm-rev': 2 });
  expect((await cli.run('config web port')).stdout).toBe('81\n');
  expect((await cli.run('config web trust')).stdout).toBe('true\n');
  expect(await cli.run('refresh web --path ./next --config port=82')).toMatchObject({
    stderr:
      'Added local charm "web", revision 3, to the model\nno change to endpoints in space "alpha": ring\n',
  });
  expect((await cli.run('config web port')).stdout).toBe('82\n');
});

test('an application may switch to a charm that the model has', async () => {
  expect(await cli.run('refresh second --switch local:web-3')).toMatchObject({ code: 0 });
  expect((await cli.run('refresh second --revision 3')).code).toBe(0);
});

test('a refresh gives existing units the resources and storage that are new in the charm, and later units another base', async () => {
  const sources = '--resource dump=./dump.sql --resource more=./more.txt --storage data=2,2G';
  const line = `refresh second --path ./full ${sources} --channel edge --base ubuntu@22.04 --force-base`;
  expect(await cli.run(line)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('--channel edge is ignored') as string,
  });
  const { stdout } = await cli.run('resources second --format json');
  const listed = (JSON.parse(stdout) as { resources: { name: string; size: number }[] }).resources;
  expect(listed.map(({ name, size }) => [name, size])).toEqual([
    ['dump', 8],
    ['more', 4],
  ]);
  expect(
    (await cli.run('refresh second --path ./full --force-base --resource more=./dump.sql')).stderr,
  ).toContain('incorrect extension');
  await cli.run('add-unit second');
  const { machines } = JSON.parse((await cli.run('status --format json')).stdout) as {
    machines: Record<string, { base: { channel: string } }>;
  };
  expect(Object.values(machines).map(({ base }) => base.channel)).toEqual(['24.04', '24.04', '22.04']);
  const storage = JSON.parse((await cli.run('storage --format json')).stdout) as { storage: object };
  // The first unit gets its storage when its agent takes the charm.
  expect(Object.keys(storage.storage)).toEqual(['data/0', 'data/1']);
  expect((await cli.run('refresh second --path ./next --force-base')).stderr).toContain(
    'required storage "data" removed',
  );
});

test('a rolling refresh is shown, excludes a second one, and can be aborted and rolled back', async () => {
  await cli.run('deploy ./web rolled -n 2');
  const begun = await cli.run('refresh rolled --path ./web --rolling --max-unavailable 50% --no-wait');
  expect(begun).toMatchObject({ code: 0, stderr: expect.stringContaining('the roll-out goes on') as string });
  const shown = async (): Promise<unknown> => {
    const { stdout } = await cli.run('status rolled --format json');
    return (JSON.parse(stdout) as { applications: { rolled: { rollout?: unknown } } }).applications.rolled
      .rollout;
  };
  expect(await shown()).toMatchObject({ kind: 'refresh', state: 'rolling', upgraded: 0, total: 2 });
  expect((await cli.run('status rolled')).stdout).toMatch(/^rolled +refresh +local:web-\d+ +rolling +0\/2/m);
  const refused = await cli.run('refresh rolled --path ./web');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is rolling; end it first') as string,
  });
  // Resources of a refused refresh are not uploaded.
  expect(refused.stderr).not.toContain('Added local charm');
  expect((await cli.run('explain rolled')).stdout).toContain('grigri refresh rolled --rollback');
  expect(await cli.run('refresh rolled --abort')).toMatchObject({
    code: 0,
    stderr: 'rolled: aborted; each unit keeps what it runs\n',
  });
  expect(await shown()).toMatchObject({ state: 'aborted' });
  expect(await cli.run('refresh rolled --rollback')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('rolled: all units have local:web-') as string,
  });
  expect(await shown()).toBeUndefined();
});

test('a dry run prints what would change, and changes nothing', async () => {
  await cli.run('deploy ./web dry -n 3 --config port=81');
  const rolled = async (): Promise<string> => {
    const { stdout } = await cli.run('status dry --format json');
    return JSON.stringify((JSON.parse(stdout) as { applications: unknown }).applications);
  };
  const before = await rolled();
  const resources = '--resource dump=./dump.sql --resource more=./more.txt';
  const line = `refresh dry --path ./full --trust --config port=82 ${resources} --storage data=2,2G --dry-run`;
  expect(await cli.run(line)).toMatchObject({ code: 0, stdout: '' });
  const { stderr } = await cli.run(`${line} --rolling --max-unavailable 2 --pause-after canary`);
  const shown = stderr.replace(/local:web-\d+/g, 'local:web-N').replace(/[0-9a-f]{12}/g, 'N');
  expect(shown).toBe(`would refresh dry to local:web-N
Part      Name  From         To                             Why
charm     -     local:web-N  local:web-N
trust     -     false        true
config    port  81           82
storage   data  -            rootfs,2,2048M
resource  dump  -            8 bytes, SHA-384 N
resource  more  -            4 bytes, SHA-384 N
- would upgrade 2 at a time, each batch when the one before is idle and active
Batch  Units         Then
1      dry/0         pauses until --resume
2      dry/1, dry/2
`);
  const planned = JSON.parse((await cli.run(`${line} --format json`)).stdout) as { changes: unknown[] };
  expect(planned.changes).toContainEqual({ part: 'config', name: 'port', from: '81', to: '82' });
  expect((await cli.run(`${line} --format yaml`)).stdout).toMatch(
    /^application: dry\ncharm: local:web-\d+\n/,
  );
  expect(await rolled()).toBe(before);
});

test('a new resource is rolled out without another charm', async () => {
  await cli.run('deploy ./full held -n 2 --resource dump=./dump.sql --resource more=./more.txt');
  expect(await cli.run('refresh held --rolling --resource nope=./more.txt')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unrecognized resource "nope"') as string,
  });
  const given = '--resource more=./more.txt --resource dump=./dump.sql';
  expect((await cli.run(`refresh held --rolling ${given}`)).stderr).toContain('nothing to roll out');
  writeFileSync(join(cli.folder, 'more.txt'), 'even more');
  expect((await cli.run('refresh held --rolling --resource more=./more.txt --dry-run')).stderr).toContain(
    '1      held/0\n2      held/1\n',
  );
  expect((await cli.run('refresh held --rolling --resource more=./more.txt --no-wait')).code).toBe(0);
  const { stdout } = await cli.run('status held --format json');
  const { rollout } = (JSON.parse(stdout) as { applications: Record<string, { rollout: object }> })
    .applications['held']!;
  expect(rollout).toMatchObject({ state: 'rolling', resources: ['more'], upgraded: 0, total: 2 });
  expect((await cli.run('explain held')).stdout).toContain('its refresh to resource more is rolling');
  expect((await cli.run('status held')).stdout).toMatch(/^held +refresh +resource more +rolling +0\/2/m);
  writeFileSync(join(cli.folder, 'more.txt'), 'most');
  expect((await cli.run('attach-resource held more=./more.txt')).stderr).toContain(
    'the refresh to resource more is rolling; end it first',
  );
  expect((await cli.run('refresh held --abort')).stderr).toContain('each unit keeps what it runs');
  expect((await cli.run('history held')).stdout).toContain('rolling refresh of resource more began');
});

test('a refresh prints where the endpoints of the charm are bound', async () => {
  for (const space of ['front', 'back']) await cli.run(`add-space ${space}`);
  await cli.run('deploy ./web bound -n 0 --bind front');
  const lines = async (line: string): Promise<string[]> =>
    (await cli.run(`refresh bound --path ./next ${line}`)).stderr.split('\n').slice(1, -1);
  expect(await lines('')).toEqual(['adding endpoint "ring" to default space "front"']);
  expect(await lines('--bind ring=back')).toEqual(['moving endpoint "ring" from space "front" to "back"']);
  expect(await lines('--bind alpha')).toEqual(['no change to endpoints in space "back": ring']);
  expect((await cli.run('refresh bound --switch local:web-0')).code).toBe(0);
  expect(await lines('--bind ring=front')).toEqual(['adding endpoint "ring" to space "front"']);
});
