/** LXD over https: a trust token is exchanged for a certificate, whose trust may be withdrawn. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startWorld, root, type World } from '../world.ts';
import { addBoxes, allActive, base, containers, hurry, patienceMs } from './places.ts';
import { remoteLxd as lxd } from './server.ts';

const port = 18_443;
let world: World;
let uuid = '';

beforeAll(async () => {
  await lxd.lxc('config', 'set', 'core.https_address', `127.0.0.1:${port}`);
  world = await startWorld('lxdremote', { patienceMs });
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(uuid, lxd)).toEqual([]);
  await lxd.lxc('config', 'unset', 'core.https_address');
  for (const { fingerprint } of await trusted()) await lxd.lxc('config', 'trust', 'remove', fingerprint);
});

const trusted = (): Promise<{ readonly fingerprint: string; readonly certificate: string }[]> =>
  lxd.query('/1.0/certificates?recursion=1');

test('a trust token is enough to use a remote LXD', async () => {
  const token = (await lxd.lxc('config', 'trust', 'add', '--name', 'grigri-test')).trim().split('\n').at(-1)!;
  const clouds = join(world.dir, 'clouds.yaml');
  writeFileSync(
    clouds,
    `clouds: {far: {type: lxd, auth-types: [certificate, interactive], endpoint: 'https://127.0.0.1:${port}'}}\n`,
  );
  const credentials = join(world.dir, 'credentials.yaml');
  writeFileSync(credentials, `credentials: {far: {mine: {auth-type: interactive, trust-token: ${token}}}}\n`);
  await world.grigri('add-cloud', 'far', clouds, '--client');
  await world.grigri('add-credential', 'far', '-f', credentials, '--client');
  await world.grigri('add-cloud', 'far', '--controller', world.name);
  await world.grigri('update-credential', 'far', 'mine', '--controller', world.name);
  expect(await trusted()).toHaveLength(1);
  uuid = await addBoxes(world, 'boxes', 'far');
  await hurry(world);
  // The examples name Ubuntu's bases only.
  await world.grigri('deploy', join(root, 'examples/kv'), ...base, '--force');
  await allActive(world, 1);
  expect(await containers(uuid, lxd)).toHaveLength(1);
});

test('the certificate’s private key is in no answer, status or log', async () => {
  const kept = parse(readFileSync(join(world.dir, 'client/credentials.yaml'), 'utf8')) as {
    credentials: { far: { mine: Record<string, string> } };
  };
  const key = kept.credentials.far.mine['client-key']!;
  const line = key.split('\n')[1]!;
  expect(line.length).toBeGreaterThan(20);
  const said = await Promise.all(
    [['show-cloud', 'far'], ['status'], ['show-model'], ['debug-log', '--replay', '--no-tail']].map((args) =>
      world.grigri(...args),
    ),
  );
  for (const text of said) expect(text).not.toContain(line);
  expect(readFileSync(join(world.controllerDir, 'controller.log'), 'utf8')).not.toContain(line);
});

test('starts wait with the reason while LXD does not trust the certificate, and continue when it does', async () => {
  const [certificate] = await trusted();
  await lxd.lxc('config', 'trust', 'remove', certificate!.fingerprint);
  await world.grigri('add-machine', ...base);
  await world.until('the model to say so', async () => {
    const { stdout } = await world.attempt('explain');
    return /suspended/.test(stdout) && /certificate|not trusted|authorized/i.test(stdout);
  });
  expect(await world.grigri('explain')).toMatch(/update-credential/);

  const file = join(world.dir, 'again.crt');
  writeFileSync(file, certificate!.certificate);
  await lxd.lxc('config', 'trust', 'add', file, '--name', 'grigri-test');
  await world.grigri('update-credential', 'far', 'mine', '--controller', world.name);
  await world.until(
    'the machine',
    async () => (await world.status()).machines['1']?.['juju-status'].current === 'started',
  );
  expect(await containers(uuid, lxd)).toHaveLength(2);
});
