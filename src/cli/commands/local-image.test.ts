/** Tests of local-image against a whole controller whose cloud is this host: uploads, checks and files are real. */
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalProvider } from '../../providers/clouds/local/index.ts';
import { packRoot } from '../../testing/providers/small-root.ts';
import { hostCapabilities } from '../../testing/provider-world.ts';
import { knowController, testCli, type TestCli } from '../../testing/cli.ts';
import { testController, type TestController } from '../../testing/controller.ts';

let controller: TestController;
let cli: TestCli;
beforeAll(async () => {
  controller = await testController(createLocalProvider());
  cli = testCli();
  await knowController(cli, controller);
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

const uploads = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('grigri-upload-'));

describe.skipIf(!hostCapabilities().sandbox)('an image', () => {
  test('an image is added from an archive, listed and removed', async () => {
    const before = uploads();
    packRoot(cli.folder, { name: 'ubuntu', release: '22.04' }, { suffix: 'tar.gz' });
    expect(await cli.run('local-image add ubuntu@22.04 small-root.tar.gz')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'added ubuntu@22.04: new machines will use it\n',
    });
    expect(uploads().filter((name) => !before.includes(name))).toEqual([]);
    const table = await cli.run('local-image list --utc');
    expect(table.stdout).toMatch(
      /^Base +Arch +Size +Added\nubuntu@22\.04 +[a-z0-9]+ +\d+(\.\d)? [KM]?i?B +\d{4}-\d\d-\d\d [\d:]+Z\n$/,
    );
    const yaml = await cli.run('local-image list --format yaml');
    expect(yaml.stdout).toMatch(/^ubuntu@22\.04:\n {2}arch: \S+\n {2}size: \d+\n {2}added: .+\n$/);
    expect(await cli.run('local-image remove ubuntu@22.04')).toMatchObject({
      code: 0,
      stderr: 'removed ubuntu@22.04\n',
    });
    expect(await cli.run('local-image list')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Controller ctrl has no local images.\n',
    });
    expect(await cli.run('local-image remove ubuntu@22.04')).toMatchObject({
      code: 1,
      stderr: 'ERROR local image "ubuntu@22.04" not found\n',
    });
  });

  test('an image of another base is refused with the host’s message', async () => {
    packRoot(cli.folder, { name: 'debian', release: '13' });
    expect(await cli.run('local-image add ubuntu@22.04 small-root.tar')).toMatchObject({
      code: 1,
      stderr: 'ERROR this is not a root file system of ubuntu@22.04: its /etc/os-release says debian@13\n',
    });
    writeFileSync(join(cli.folder, 'text'), 'no archive');
    expect((await cli.run('local-image add ubuntu@22.04 text')).stderr).toMatch(
      /^ERROR tar cannot read the file as an archive: /,
    );
    expect((await cli.run('local-image add centos@9')).stderr).toBe(
      'ERROR no source of packages is known for centos@9: give an archive of its root file system\n',
    );
  });
});

test.each([
  ['local-image', 'expected add, list or remove'],
  ['local-image show', 'unknown subcommand "show": expected add, list or remove'],
  ['local-image add', 'expected a base, e.g. ubuntu@24.04'],
  ['local-image add ubuntu', `expected base string to contain os and channel separated by '@', got "ubuntu"`],
  ['local-image add ubuntu@24.04 absent.tar', 'cannot read the archive "absent.tar"'],
  ['local-image add ubuntu@24.04 /', 'cannot read the archive "/"'],
  ['local-image list more', 'unrecognized args: ["more"]'],
])('%s is a usage error', async (line, message) => {
  const { code, stderr } = await cli.run(line);
  expect(stderr).toContain(`ERROR ${message}`);
  expect(code).toBeGreaterThan(0);
});
