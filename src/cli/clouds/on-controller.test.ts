/** Commands about clouds and credentials on a real controller, and the places where a secret must never appear. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { knowController } from '../../testing/cli.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import {
  awayCloudYaml,
  cli,
  credentialYaml,
  file,
  ok,
  opened,
  prepareStrictCloud,
  provider,
  refused,
  run,
  secret,
} from '../../testing/strict-cloud.ts';

prepareStrictCloud();

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
    expect(JSON.parse((await ok('clouds -c ctrl --format json')).stdout)).toMatchObject({
      away: { defined: 'public', users: { admin: { 'display-name': 'admin', access: 'admin' } } },
    });
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

  test('a cloud of a type that only Juju has is kept and listed, and no model is made on it', async () => {
    writeFileSync(
      join(cli.folder, 'google.yaml'),
      'clouds:\n  google:\n    type: gce\n    regions:\n      west: {}\n',
    );
    const { stderr } = await ok('add-cloud google google.yaml --client -c ctrl');
    expect(stderr).toContain('Cloud "google" successfully added to your local client.\n');
    expect(stderr).toContain(
      'Cloud "google" added to controller "ctrl".\nModels cannot be made on it: cloud type "gce" is only kept.\n',
    );
    expect((await ok('clouds')).stdout).toMatch(/google +1 +west +gce/);
    expect(await run('add-model m google')).toMatchObject({ code: 1 });
    writeFileSync(
      join(cli.folder, 'juju', 'public-clouds.yaml'),
      'clouds:\n  aws:\n    type: ec2\n    description: Amazon\n    auth-types: [access-key]\n    regions:\n      us-east-1:\n        endpoint: https://ec2.us-east-1.amazonaws.com\n',
    );
    const few = await ok('clouds --client --format json');
    expect(few.stderr).toBe(
      'Only clouds with registered credentials are shown.\nThere are more clouds, use --all to see them.\n',
    );
    expect(JSON.parse(few.stdout)).not.toHaveProperty('aws');
    expect(JSON.parse((await ok('clouds --client --all --format json')).stdout)).toMatchObject({
      aws: { defined: 'public', type: 'ec2' },
    });
    await ok('add-cloud aws -c ctrl --force');
    writeFileSync(
      join(cli.folder, 'keys.yaml'),
      `credentials:\n  aws:\n    mine:\n      auth-type: access-key\n      access-key: shown\n      secret-key: ${secret}\n`,
    );
    await ok('add-credential aws -f keys.yaml --client -c ctrl');
    for (const where of ['controller-credentials', 'client-credentials']) {
      const listed = JSON.parse((await ok('credentials --format json')).stdout) as Record<string, unknown>;
      expect(listed[where]).toMatchObject({
        aws: {
          'cloud-credentials': { mine: { 'auth-type': 'access-key', details: { 'access-key': 'shown' } } },
        },
      });
      expect(JSON.stringify(listed[where])).not.toContain(secret);
    }
    expect((await ok('credentials -c ctrl --format json --show-secrets')).stdout).toContain(secret);
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
