import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  for (const [name, flags] of [
    ['web', ''],
    ['beside', 'subordinate: true\nrequires: {host: {interface: juju-info, scope: container}}\n'],
  ] as const) {
    mkdirSync(join(cli.folder, name, 'hooks'), { recursive: true });
    writeFileSync(
      join(cli.folder, name, 'metadata.yaml'),
      `name: ${name}\nsummary: s\ndescription: d\nseries: [noble, jammy]\n${flags}`,
    );
  }
  for (const line of ['add-model shop', 'add-machine --base ubuntu@22.04', 'deploy ./web taken'])
    expect(await cli.run(line)).toMatchObject({ code: 0 });
});

describe('a deploy that the controller would refuse is refused before the charm is sent, and so is its dry run', () => {
  test.each([
    ['web taken', 'cannot add application "taken": application already exists'],
    ['web one --to 9', 'machine 9 not found'],
    ['web one --to 0', 'base does not match: machine 0 has ubuntu@22.04, application "one" ubuntu@24.04'],
    ['web one --to zone=nowhere', 'availability zone "nowhere" not valid'],
    ['web one -n 2 --to lxd,zone=nowhere', 'availability zone "nowhere" not valid'],
    ['web one -n 100001', 'units to be added at once: 100001 entries exceed the limit of 100000'],
    ['beside taken', 'cannot add application "taken": application already exists'],
  ])('deploy ./%s fails before the upload, and so does its dry run', async (words, message) => {
    const real = await cli.run(`deploy ./${words}`);
    expect(real.stderr).not.toContain('Deploying');
    expect(real).toMatchObject({ code: 1 });
    expect(real.stderr).toContain(`ERROR ${message}\n`);
    expect(await cli.run(`deploy ./${words} --dry-run`)).toEqual(real);
  });

  test('a deploy that the controller accepts passes the checks of the client', async () => {
    for (const words of ['web two --base ubuntu@22.04 --to 0', 'beside'])
      expect(await cli.run(`deploy ./${words} --dry-run`)).toMatchObject({ code: 0 });
    expect(await cli.run('deploy ./web two --base ubuntu@22.04 --to 0')).toMatchObject({ code: 0 });
    expect(await cli.run('deploy ./beside')).toMatchObject({ code: 0 });
  });
});

test('deploy --debug reports that no version control system gives the version of a charm', async () => {
  vi.stubEnv('GIT_CEILING_DIRECTORIES', cli.folder);
  try {
    const path = JSON.stringify(join(cli.folder, 'web'));
    const quiet = await cli.run('deploy ./web plain');
    expect(quiet.stderr).not.toContain('version');
    const bare = await cli.run('deploy --debug ./web bare');
    expect(bare.stderr).toContain(`charm is not versioned, charm path ${path}\n`);
    writeFileSync(join(cli.folder, 'web/version'), '7\n');
    const filed = await cli.run('deploy ./web filed --debug');
    expect(filed.stderr).toContain(
      `charm is not in version control, but uses a version file, charm path ${path}\n`,
    );
  } finally {
    rmSync(join(cli.folder, 'web/version'), { force: true });
    vi.unstubAllEnvs();
  }
});

test('an archive that a killed deploy has left is removed by the next deploy', async () => {
  const left = join(cli.folder, 'grigri-charm-killed');
  mkdirSync(left);
  utimesSync(left, 1, 1);
  vi.stubEnv('TMPDIR', cli.folder);
  try {
    expect(await cli.run('deploy ./web clean')).toMatchObject({ code: 0 });
  } finally {
    vi.unstubAllEnvs();
  }
  expect(existsSync(left)).toBe(false);
});

test('a charm that the model has is deployed by its URL, without an upload', async () => {
  const revisions = async (): Promise<string[]> => {
    const { stdout } = await cli.run('status --format json');
    const { applications } = JSON.parse(stdout) as { applications: Record<string, { charm: string }> };
    return Object.values(applications).map(({ charm }) => charm);
  };
  const before = new Set(await revisions());
  expect(await cli.run('deploy local:web-0 again -n 2 --base ubuntu@22.04')).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'Located local charm "web", revision 0\nDeploying "again" from local charm "web", revision 0 on ubuntu@22.04/stable\n',
  });
  expect(new Set(await revisions())).toEqual(before);
  for (const [line, message] of [
    ['local:web-0 again', 'cannot add application "again": application already exists'],
    ['local:web-0 more --base ubuntu@20.04', 'base "ubuntu@20.04" is not supported by the charm'],
    ['local:web-0 more --config nope=1', 'unknown option "nope"'],
    ['local:web-99', 'charm "local:web-99" not found'],
    ['local:./nothing', 'no charm was found at'],
  ] as const) {
    const refused = await cli.run(`deploy ${line}`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(message);
  }
});
