import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliRun } from '../../testing/cli.ts';
import { cli, prepareCli } from '../../testing/cli-world.ts';

prepareCli(async () => {
  expect(await cli.run('add-model shop')).toMatchObject({ code: 0 });
});

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4nX3M me@here';
const run = (...line: string[]): Promise<CliRun> => cli.run(line);

test('keys of a model are added, listed and removed; a failure is reported and does not change the exit code', async () => {
  // The key of the client, which add-model gave to the model, is not listed.
  expect(await run('ssh-keys')).toEqual({ code: 0, stdout: '', stderr: 'No keys to display.\n' });
  expect(await run('add-ssh-key', key, 'rubbish')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'cannot add key "rubbish": invalid ssh key: rubbish\n',
  });
  expect(await run('ssh-keys', '--full')).toMatchObject({
    stdout: `Keys used in model: admin/shop\n${key}\n`,
  });
  const { stdout } = await run('list-ssh-keys');
  expect(stdout).toMatch(/^Keys used in model: admin\/shop\n([0-9a-f]{2}:){15}[0-9a-f]{2} \(me@here\)\n$/);
  expect(await run('import-ssh-key', 'gh:me')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^cannot import key id "gh:me": .* not supported/) as string,
  });
  const sha256 = createHash('sha256')
    .update(Buffer.from(key.split(' ')[1]!, 'base64'))
    .digest('base64');
  expect(await run('remove-ssh-key', `SHA256:${sha256.replace('=', '')}`)).toMatchObject({ stderr: '' });
  expect(await run('ssh-keys')).toMatchObject({ stdout: '' });
  await run('add-ssh-key', key);
  expect(await run('remove-ssh-key', 'me@here', 'juju-client-key')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'cannot remove key id "juju-client-key": may not delete internal key: juju-client-key\n',
  });
  expect(await run('ssh-keys')).toMatchObject({ stdout: '' });
  expect(await run('add-ssh-key')).toMatchObject({ code: 2, stderr: 'ERROR no ssh key specified\n' });
  expect(await run('import-ssh-key')).toMatchObject({ code: 2, stderr: 'ERROR no ssh key id specified\n' });
});

test('a new model gets the keys in ~/.ssh, except lines that are no keys, unless it is given other keys', async () => {
  const folder = join(cli.folder, '.ssh');
  mkdirSync(folder);
  writeFileSync(join(folder, 'id_ed25519.pub'), `rubbish\n${key}\n`);
  writeFileSync(join(folder, 'other.pub'), key.replace('me@here', 'other@here'));
  await run('add-model', 'mine');
  expect(await run('ssh-keys', '--full')).toMatchObject({
    stdout: `Keys used in model: admin/mine\n${key}\n`,
  });
  const given = key.replace('me@here', 'you@there');
  await run('add-model', 'yours', '--config', `authorized-keys=${given}`);
  expect(await run('ssh-keys', '--full')).toMatchObject({
    stdout: `Keys used in model: admin/yours\n${given}\n`,
  });
});
