/**
 * Commands about clouds and credentials, on this client and on a real controller, and the places where a secret must
 * never appear.
 */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError, type OpenParams, type Provider } from '../../providers/contract/provider.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli, type CliRun, type TestCli } from '../../testing/cli.ts';
import { testController, type TestController } from '../../testing/controller.ts';

const secret = 'hunter2-never-to-be-seen';
let cli: TestCli;
/** Passwords that the cloud refuses. */
let refused: Set<string>;
let provider: Provider;
let opened: OpenParams[];
beforeEach(() => {
  cli = testCli();
  refused = new Set();
  opened = [];
  provider = strict();
});
afterEach(() => cli[Symbol.dispose]());

/** Returns a simulated cloud that requires a password, and a one-time token. */
function strict(): Provider {
  const simulated = createSimulatedProvider();
  return {
    ...simulated,
    type: 'strict',
    description: 'A cloud with a door',
    builtinCloud: {
      name: 'door',
      aliases: ['gate'],
      description: 'The one next door',
      regions: ['near', 'far'],
    },
    endpoint: { description: 'The address of the door.' },
    authTypes: {
      userpass: {
        username: { type: 'string', description: 'Who' },
        password: { type: 'string', description: 'What only they know', secret: true },
      },
      token: { token: { type: 'string', description: 'Good once', secret: true } },
    },
    config: {
      ...simulated.config,
      'door-key': { type: 'string', description: 'Opens it', secret: true },
    },
    detect: ({ env }) =>
      Promise.resolve(
        env['DOOR_USER']
          ? [
              {
                name: 'gate',
                endpoint: 'https://door',
                regions: ['near'],
                credentials: {
                  found: {
                    label: `strict credential "${env['DOOR_USER']}"`,
                    authType: 'userpass',
                    attributes: { username: env['DOOR_USER'], password: secret },
                  },
                },
              },
            ]
          : [],
      ),
    finalizeCredential: ({ credential }) =>
      Promise.resolve(
        credential.authType === 'token'
          ? {
              authType: 'userpass',
              attributes: { username: 'made', password: `of ${credential.attributes['token']}` },
            }
          : credential,
      ),
    open: (params) => {
      opened.push(params);
      const environ = simulated.open(params);
      const check = (): void => {
        if (refused.has(params.cloud.credential?.attributes['password'] ?? ''))
          throw new ProviderError('credential', 'the door stays shut');
      };
      const list = environ.instances.list.bind(environ.instances);
      return { ...environ, instances: { ...environ.instances, list: (signal) => (check(), list(signal)) } };
    },
  };
}

const run = (
  line: string | readonly string[],
  input = '',
  env: Record<string, string> = {},
): Promise<CliRun> =>
  cli.run(line, {
    input,
    env,
    providers: () => Promise.resolve(new Map([['strict', provider]])),
  });
const file = (name: string, content: string): string => {
  writeFileSync(join(cli.folder, name), content);
  return name;
};
const ok = async (line: string, input = '', env: Record<string, string> = {}): Promise<CliRun> => {
  const result = await run(line, input, env);
  expect(result, `${line}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result;
};

const awayCloudYaml = `clouds:
  away:
    type: strict
    endpoint: https://away
    regions:
      south: {}
      north: {endpoint: https://north}
    config: {zones: 'a,b', door-key: ${secret}}
`;
const credentialYaml = (password = secret): string => `credentials:
  away:
    mine:
      auth-type: userpass
      username: me
      password: ${password}
`;

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
      stderr: 'You can bootstrap a new controller using one of these clouds...\n',
      stdout: [
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
    ['show-cloud nowhere', 1, 'cloud nowhere not found'],
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

describe('commands on a controller', () => {
  let controller: TestController;
  beforeEach(async () => {
    controller = await testController({ ...provider, authTypes: { empty: {}, ...provider.authTypes } });
    await knowController(cli, controller);
    file('away.yaml', awayCloudYaml);
    file('mine.yaml', credentialYaml());
  });
  afterEach(() => controller[Symbol.asyncDispose]());

  test('a command asks for its scope, and changes the client and the controller', async () => {
    const addBothRun = await ok('add-cloud away away.yaml', '7\n1\n');
    expect(addBothRun.stdout).toBe(
      'Do you want to add cloud "away" to:\n    1. client only (--client)\n    2. controller "ctrl" only (--controller ctrl)\n    3. both (--client --controller ctrl)\nEnter your choice, or type Q|q to quit: ',
    );
    await ok('add-credential away -f mine.yaml --client');
    expect((await ok('add-cloud away -c ctrl')).stderr).toBe(
      'Cloud "away" added to controller "ctrl".\nCredential for cloud "away" added to controller "ctrl".\n',
    );
    expect((await ok('remove-cloud away', 'q\n')).stderr).toContain('nothing to do');
    expect((await ok('clouds')).stdout).toContain(
      'Clouds available on the controller:\nCloud  Regions  Default  Type\naway   2        south    strict  \ntest',
    );
    expect((await ok('credentials -c ctrl')).stdout).toBe(
      '\nController Credentials:\nCloud  Credentials\naway   mine\ntest   default\n\n',
    );
    expect((await ok('show-credential away mine -c ctrl --show-secrets')).stdout).toContain(
      `password: ${secret}`,
    );
    expect((await ok('update-cloud away -c ctrl')).stderr).toBe(
      'Cloud "away" updated on controller "ctrl" using client cloud definition.\n',
    );
    expect((await ok('remove-cloud away -c ctrl')).stderr).toBe(
      'Removed details of cloud "away" from controller "ctrl"\n',
    );
  });

  test('a model uses its credential, and a changed credential is tried first', async () => {
    await ok('add-cloud away away.yaml --client');
    await ok('add-cloud away -c ctrl');
    expect(await run('add-model m away/north')).toMatchObject({ code: 1 });
    await ok('add-credential away -f mine.yaml --client');
    expect((await ok('add-model m away/north')).stderr).toContain(
      "Uploading credential 'away/admin/mine' to controller\n",
    );
    expect(JSON.parse((await ok('models --format json')).stdout)).toMatchObject({
      models: [
        {},
        {
          'short-name': 'm',
          cloud: 'away',
          region: 'north',
          credential: { name: 'mine', owner: 'admin', cloud: 'away' },
        },
      ],
    });
    expect((await ok('show-model m')).stdout).toContain(
      '  credential:\n    name: mine\n    owner: admin\n    cloud: away\n',
    );

    // The environment is opened with the region's endpoint, the cloud's settings and both secrets in clear.
    expect(opened.at(-1)).toMatchObject({
      modelName: 'm',
      cloud: {
        name: 'away',
        region: 'north',
        endpoint: 'https://north',
        credential: { authType: 'userpass', attributes: { username: 'me', password: secret } },
      },
      config: { zones: 'a,b', 'door-key': secret },
    });
    refused.add('worse');
    file('mine.yaml', credentialYaml('worse'));
    const update = 'update-credential away mine -f mine.yaml -c ctrl';
    expect(await run(update)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "Credential invalid for:\n  m:\n    the door stays shut\nFailed models may require a different credential.\nUse 'grigri set-credential' to change credential for these models before repeating this update.\n",
    });
    file('mine.yaml', credentialYaml('better'));
    expect((await ok(update)).stderr).toBe(
      'Controller credential "mine" for user "admin" for cloud "away" on controller "ctrl" updated.\nFor more information, see \'grigri show-credential away mine\'.\n',
    );
    // A token that was written into the file is used once.
    const token = `credentials: {away: {mine: {auth-type: token, token: abc}}}`;
    await ok(`update-credential away mine -f ${file('token.yaml', token)} -c ctrl --client`);
    expect(
      (await ok('show-credential away mine --show-secrets')).stdout.match(/password: of abc\n/g),
    ).toHaveLength(2);

    expect(await run('remove-credential away mine -c ctrl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('still used by 1 model: m') as string,
    });

    const otherYaml = credentialYaml('other').replace('mine:', 'other:');
    await ok(`add-credential away -f ${file('other.yaml', otherYaml)} --client`);
    expect((await ok('set-credential -m m away other')).stderr).toContain(
      'Changed cloud credential on model "m" to "other".\n',
    );
    await ok('remove-credential away mine -c ctrl');
    expect(await run('add-model n away --credential nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('credential "nobody" for cloud "away" not found') as string,
    });
  });

  test('a one-time token is replaced by its result in the file', async () => {
    await ok('add-cloud away away.yaml --client');
    await ok('add-cloud away -c ctrl');
    const path = join(cli.folder, 'juju', 'credentials.yaml');
    writeFileSync(path, 'credentials: {away: {mine: {auth-type: token, token: abc}}}');
    await ok('add-model m away');
    expect(readFileSync(path, 'utf8')).toContain('password: of abc');
    await ok('add-model n away');
    expect((await ok('show-model n')).stdout).toContain('name: mine');
  });

  test('a secret appears in no file of the controller, in no answer and in no log', async () => {
    await ok('add-cloud away away.yaml --client');
    await ok('add-credential away -f mine.yaml --client');
    await ok('add-cloud away -c ctrl');
    await ok('add-model m away');
    await ok(['model-config', '-m', 'm', `door-key=${secret}`].join(' '));
    refused.add(secret);
    await run('update-credential away mine -c ctrl');
    const results = await Promise.all(
      [
        'clouds -c ctrl --format json',
        'show-cloud away -c ctrl --format json',
        'credentials -c ctrl --format json',
        'show-credential -c ctrl --format json',
        'models --format json',
        'show-model m',
        'status -m m --format json',
        'model-config -m m --format json',
        'history -m m --status',
        'explain -m m',
        'debug-log -m m --replay --no-tail',
      ].map((line) => ok(line)),
    );
    for (const answer of results) expect(answer.stdout + answer.stderr).not.toContain(secret);
    expect(JSON.stringify(controller.logged)).not.toContain(secret);
    await controller.running().stop();
    for (const path of filesBelow(controller.dataDir))
      expect(readFileSync(path).includes(secret), path).toBe(false);
    await controller.restart();
    const shown = await ok('show-credential away mine -c ctrl --show-secrets');
    expect(shown.stdout).toContain(`password: ${secret}`);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
