/** Commands about clouds and credentials on this client alone. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  awayCloudYaml,
  cli,
  credentialYaml,
  file,
  ok,
  prepareStrictCloud,
  run,
  secret,
} from '../../testing/strict-cloud.ts';

prepareStrictCloud();

describe('commands on this client alone', () => {
  test('clouds are defined by a file, listed, shown, updated, removed', async () => {
    const added = await ok(`add-cloud away ${file('away.yaml', awayCloudYaml)}`);
    expect(added).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Cloud "away" successfully added to your local client.\nYou will need to add a credential for this cloud (`grigri add-credential away`)\nbefore you can use it to bootstrap a controller (`grigri bootstrap away`) or\nto create a model (`grigri add-model <your model name> away`).\n',
    });
    expect(await ok('clouds')).toEqual({
      code: 0,
      stderr:
        'Only clouds with registered credentials are shown.\nThere are more clouds, use --all to see them.\n',
      stdout: [
        'You can bootstrap a new controller using one of these clouds...',
        '',
        'Clouds available on the client:',
        'Cloud  Regions  Default  Type    Credentials  Source    Description',
        'away   2        south    strict  0            local     A cloud with a door',
        'door   2        near     strict  0            built-in  The one next door',
        '\n',
      ].join('\n'),
    });
    expect((await ok('show-cloud away')).stdout).toBe(`Client cloud "away":

defined: local
type: strict
description: A cloud with a door
auth-types: [userpass, token]
endpoint: https://away
regions:
  south: {}
  north:
    endpoint: https://north
config:
  zones: a,b
  door-key: ${secret}
`);
    expect(JSON.parse((await ok('show-cloud away --format json')).stdout)).toMatchObject([
      { name: 'away', summary: 'Client cloud "away"', defined: 'local', type: 'strict' },
    ]);
    expect((await ok('show-cloud away --format yaml')).stdout).toMatch(
      /^name: away\nsummary: Client cloud "away"\ndefined: local\ntype: strict\n/,
    );
    expect((await ok('regions away')).stdout).toBe('\nClient Cloud Regions\nsouth\nnorth\n');
    expect((await ok('regions away --format json')).stdout).toBe(
      '{"client-cloud-regions":{"south":{},"north":{"endpoint":"https://north"}}}\n',
    );
    expect((await run(`add-cloud away away.yaml --client`)).stderr).toBe(
      'ERROR use `update-cloud away --client` to override known definition: local cloud "away" already exists\n',
    );
    file('away.yaml', awayCloudYaml.replace('https://away', 'https://moved'));
    expect((await ok('update-cloud away -f away.yaml')).stderr).toBe(
      'Cloud "away" updated on this client using provided file.\n',
    );
    expect((await ok('clouds --format yaml')).stdout).toContain('endpoint: https://moved\n');
    expect((await ok('remove-cloud away')).stderr).toBe('Removed details of cloud "away" from this client\n');
    expect((await ok('remove-cloud away')).stderr).toBe('No cloud called "away" exists on this client\n');
    expect((await ok('remove-cloud door')).stderr).toBe('Cannot remove built-in cloud "door" from client\n');
  });

  test.each([
    ['too long', `clouds: {away: {type: strict, description: ${'x'.repeat(1024 * 1024)}}}`, 'limit'],
    ['too deep', `clouds: ${'['.repeat(200)}${']'.repeat(200)}`, 'limit'],
    ['full of aliases', `a: &a [x]\nclouds: {away: [${'*a, '.repeat(200)}]}`, 'aliases'],
  ])(
    'a file of clouds or credentials that is %s is refused by name, and nothing is kept',
    async (_, content, message) => {
      file('wrong.yaml', content);
      for (const line of [
        'add-cloud away wrong.yaml --client',
        'add-credential door -f wrong.yaml --client',
      ]) {
        const { code, stderr } = await run(line);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringContaining('wrong.yaml') as string,
        });
        expect(stderr).toContain(message);
      }
      expect((await ok('clouds')).stdout).not.toContain('away');
    },
  );

  test('add-cloud asks for the definition of a cloud', async () => {
    const addCloudRun = await ok('add-cloud', 'nothing\nstrict\nbad^name\naway\n\nhttps://away\n\n');
    expect(addCloudRun.stdout).toBe(
      [
        'Cloud Types\n  strict\n\nSelect cloud type: ',
        'Invalid cloud type: "nothing"\n\nSelect cloud type: ',
        'Enter a name for your strict cloud: ',
        'cloud name "bad^name" not valid\n\nEnter a name for your strict cloud: ',
        'Enter the address of the door: ',
        'Enter the address of the door: ',
        'Enter region [default]: ',
        '',
      ].join('\n'),
    );
    expect((await ok('regions away')).stdout).toBe('\nClient Cloud Regions\ndefault\n');
    const path = join(cli.folder, 'juju', 'clouds.yaml');
    const fileText = readFileSync(path, 'utf8');
    expect(fileText).toContain('    #   quota: 0 # Instances that the account may have; 0 is no limit\n');
    writeFileSync(path, fileText.replaceAll(/^ {4}# /gm, '    '));
    expect((await ok('show-cloud away')).stdout).toContain(
      'config:\n  zones: zone1,zone2,zone3\n  quota: 0\n',
    );
    expect(await run('add-cloud')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ended') as string,
    });
  });

  test('credentials are added from a file, by prompts and by detection, and have defaults', async () => {
    await ok(`add-cloud away ${file('away.yaml', awayCloudYaml)}`);
    expect((await ok(`add-credential away -f ${file('mine.yaml', credentialYaml())}`)).stdout).toBe(
      'Credential "mine" added locally for cloud "away".\n\n',
    );
    expect(await run('add-credential away -f mine.yaml')).toMatchObject({ code: 1 });
    await ok('add-credential away -f mine.yaml --replace');
    const addRun = await ok('add-credential away', `once\ntoken\n${secret}\n`);
    expect(addRun.stdout).toBe(
      'Enter credential name: \nAuth Types\n  userpass\n  token\n\nSelect auth type [userpass]: \nEnter token: \nCredential "once" added locally for cloud "away".\n\n',
    );
    // The file keeps the result of the token, not the token.
    const fileText = readFileSync(join(cli.folder, 'juju', 'credentials.yaml'), 'utf8');
    expect(fileText).toContain(
      `    once:\n      auth-type: userpass\n      username: made\n      password: of ${secret}\n`,
    );
    expect(statSync(join(cli.folder, 'juju', 'credentials.yaml')).mode & 0o777).toBe(0o600);

    await ok('default-credential away once');
    expect((await ok('default-credential away')).stderr).toBe(
      'Default credential for cloud "away" is "once" on this client.\n',
    );
    expect((await ok('default-region away NORTH')).stderr).toBe('Default region in away set to "north".\n');
    expect((await ok('credentials')).stdout).toBe(
      '\nClient Credentials:\nCloud  Credentials\naway   once*, mine\n\n',
    );
    const shown = `client-credentials:
  away:
    default-credential: once
    default-region: north
    mine:
      auth-type: userpass
      username: me
    once:
      auth-type: userpass
      username: made
`;
    expect((await ok('credentials --format yaml')).stdout).toBe(shown);
    expect((await ok('credentials --format yaml --show-secrets')).stdout).toBe(
      shown
        .replace(
          'auth-type: userpass\n      username: me\n',
          `auth-type: userpass\n      password: ${secret}\n      username: me\n`,
        )
        .replace('username: made', `password: of ${secret}\n      username: made`),
    );
    expect(JSON.parse((await ok('credentials away --format json')).stdout)).toEqual({
      'client-credentials': {
        away: {
          'default-credential': 'once',
          'default-region': 'north',
          'cloud-credentials': {
            mine: { 'auth-type': 'userpass', details: { username: 'me' } },
            once: { 'auth-type': 'userpass', details: { username: 'made' } },
          },
        },
      },
    });
    expect((await ok('show-credential away mine')).stdout).toBe(
      'client-credentials:\n  away:\n    mine:\n      content:\n        auth-type: userpass\n        username: me\n',
    );
    expect((await ok('remove-credential away once')).stderr).toBe(
      'Found local cloud "away" on this client.\nCredential "once" for cloud "away" removed from this client.\n',
    );
    expect((await ok('default-credential away')).stderr).toContain('is not set');

    const autoloadRun = await ok('autoload-credentials', '9\n1\n\nq\n', { DOOR_USER: 'bob' });
    expect(autoloadRun.stderr).toContain(
      '1. strict credential "bob" (new)\nSelect a credential to save by number',
    );
    expect(autoloadRun.stderr).toContain('Saved strict credential "bob" to cloud door locally');
    expect(autoloadRun.stderr).toContain('1. strict credential "bob" (existing, will overwrite)');
  });

  test('completion offers the names of clouds', async () => {
    await ok(`add-cloud away ${file('away.yaml', awayCloudYaml)}`);
    const { stdout } = await run(['__complete', '--', 'show-cloud', '']);
    expect(stdout).toBe('away\ndoor\ngate\n');
  });

  test('init describes every type of cloud once', async () => {
    const { stdout } = await ok('init --show');
    expect(stdout).toMatch(/^# .*\n#\n# clouds:\n/);
    expect(stdout.split('\n').every((line) => line === '' || line.startsWith('#'))).toBe(true);
    const path = join(cli.folder, 'juju', 'clouds.yaml');
    expect((await ok('init')).stderr).toBe(`Wrote ${path}\n`);
    expect(readFileSync(path, 'utf8')).toBe(stdout);
    expect(await run('init')).toMatchObject({ code: 1 });
    await ok(`add-cloud away ${file('away.yaml', awayCloudYaml)}`);
    expect(readFileSync(path, 'utf8').startsWith(stdout.trimEnd())).toBe(true);
    await ok('init -f');
    expect(readFileSync(path, 'utf8')).toBe(stdout);
  });

  test.each([
    ['add-cloud bad^cloud x.yaml', 2, 'cloud name "bad^cloud" not valid'],
    ['add-cloud nowhere away.yaml --client', 1, 'cloud "nowhere" not found in file "away.yaml"'],
    ['add-cloud away gone.yaml --client', 1, 'no such file: gone.yaml'],
    ['update-cloud', 2, 'cloud name required'],
    ['update-cloud away -f away.yaml extra', 2, 'unrecognized args: ["extra"]'],
    ['remove-cloud', 2, 'Usage: grigri remove-cloud <cloud name>'],
    ['show-cloud', 2, 'no cloud specified'],
    [
      'show-cloud nowhere',
      1,
      'cloud nowhere not found, possible alternative clouds:\n\n  - aws\n  - aws-china\n  - aws-gov\n  - door\n',
    ],
    ['regions nowhere', 1, 'cloud nowhere not found'],
    ['default-region door moon', 1, 'region "moon" not found (expected one of near, far)'],
    ['default-credential nowhere x', 1, 'cloud nowhere not valid'],
    ['default-credential door x', 1, 'credential "x" for cloud door not valid'],
    ['add-credential', 2, 'Usage: grigri add-credential <cloud-name> [-f <credentials.yaml>]'],
    ['add-credential nowhere', 1, 'cloud nowhere not valid'],
    ['add-credential door -f mine.yaml', 1, 'no credentials for cloud door exist in file mine.yaml'],
    [
      'add-credential door -f odd.yaml',
      1,
      'contains invalid auth type "oauth9", valid auth types for cloud "door" are [userpass token]',
    ],
    ['add-credential door -f short.yaml', 1, 'credential "c": attribute "password" is missing'],
    ['add-credential door -f mine.yaml --region moon', 1, ''],
    ['show-credential door', 2, 'both cloud and credential name are needed'],
    ['update-credential', 2, 'Usage: grigri update-credential'],
    ['update-credential door x --client', 1, 'credentials for cloud door not found'],
    ['remove-credential door', 2, 'Usage: grigri remove-credential <cloud-name> <credential-name>'],
    ['autoload-credentials moon', 2, 'unknown cloud type "moon"'],
    ['clouds -c nowhere', 1, 'controller nowhere not found'],
  ])('%s is refused', async (line, code, message) => {
    file('away.yaml', awayCloudYaml);
    file('mine.yaml', credentialYaml());
    file('odd.yaml', 'credentials: {door: {c: {auth-type: oauth9}}}');
    file('short.yaml', `credentials: {door: {c: {auth-type: userpass, username: x}}}`);
    const result = await run(line);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
    expect(result.stderr).toContain('ERROR ');
    expect(result.stdout + result.stderr).not.toContain(secret);
  });
});
