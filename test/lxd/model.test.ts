/** Controller on this host, whose models' machines are real containers. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, type World } from '../world.ts';
import { address, allActive, base, containers, reaches, startBoxes, talk, timed } from './places.ts';
import { lxd } from './server.ts';

let world: World & { readonly uuid: string };
const charms = join(import.meta.dirname, 'charms');
const example = (name: string): string => join(root, 'examples', name);

beforeAll(async () => {
  world = await startBoxes('lxd');
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
});

test('the examples work across three containers', async () => {
  await timed('the examples on three containers, deploy to active', async () => {
    await world.grigri('deploy', example('kv'), '-n', '2', ...base, '--force');
    await world.grigri('deploy', example('web'), ...base, '--force');
    await world.grigri('deploy', example('shipper'), ...base, '--force');
    await world.grigri('integrate', 'web', 'kv');
    await world.grigri('integrate', 'shipper', 'web');
    await allActive(world, 3);
  });
  const machines = Object.values((await world.status()).machines).map((one) => one['instance-id']);
  const made = await containers(world.uuid);
  expect(made.map((one) => one.name).sort()).toEqual(machines.sort());
  expect(made).toHaveLength(3);
  for (const one of made) expect(one.status, one.name).toBe('Running');
  await world.until('the subordinate', async () =>
    /shipper\/0\S* +active/.test(await world.grigri('status')),
  );
});

test('memcached from apt answers with the configured memory once it is exposed', async () => {
  await timed('memcached, deploy to active', async () => {
    await world.grigri('deploy', join(charms, 'memcached'), '--config', 'memory=48', ...base);
    await world.untilUnit('memcached/0', { workload: 'active', agent: 'idle', message: '48 MiB' });
  });
  const host = await address(world, 'memcached/0');
  const limit = async (): Promise<string | undefined> =>
    /limit_maxbytes (\d+)/.exec(await talk(host, 11211, 'stats\r\n', /END\r\n$/))?.[1];

  expect(await reaches(host, 11211)).toBe(false);
  await world.grigri('expose', 'memcached');
  await world.until('the port to open', () => reaches(host, 11211));
  await world.until('its limit', async () => (await limit()) === String(48 * 1024 * 1024));

  await world.grigri('config', 'memcached', 'memory=96');
  await world.untilUnit('memcached/0', { workload: 'active', message: '96 MiB' });
  await world.until('the new limit', async () => (await limit()) === String(96 * 1024 * 1024));

  await world.grigri('unexpose', 'memcached');
  await world.until('the port to close', async () => !(await reaches(host, 11211)));
  // The server is running; only the connection to it is blocked.
  const within = await world.grigri('ssh', 'memcached/0', 'systemctl is-active memcached');
  expect(within.trim()).toBe('active');
});

test('the examples’ web page can be reached from outside while it is exposed', async () => {
  const host = await address(world, 'web/0');
  const page = (): Promise<string> => talk(host, 8080, 'GET / HTTP/1.0\r\n\r\n', /served by .*/);
  await expect(page()).rejects.toThrow();
  await world.grigri('expose', 'web');
  await world.until('the page', async () => (await page()).includes('served by web/0'));
  await world.grigri('unexpose', 'web');
  await world.until('the port to close', async () => !(await reaches(host, 8080)));
});

test('ssh and exec reach the machines', async () => {
  const { machine } = await world.unit('web/0');
  const instance = (await world.status()).machines[machine]!['instance-id'];
  expect((await world.grigri('ssh', 'web/0', 'hostname')).trim()).toBe(instance);
  const refused = await world.attempt('ssh', machine, 'exit 3');
  expect(refused.code).toBe(3);
  const units = await world.grigri('exec', '--application', 'kv', '--format', 'json', '--', 'hostname');
  const results = Object.values(JSON.parse(units) as Record<string, { results: { stdout: string } }>);
  const names = results.map((one) => one.results.stdout.trim());
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect((await containers(world.uuid)).map((one) => one.name)).toContain(name);
});

test('a charm’s profile is on its container, and is removed with it', async () => {
  await world.grigri('deploy', join(charms, 'profiled'), ...base);
  await world.untilUnit('profiled/0', { workload: 'active', message: 'the device is there' });
  const { machine } = await world.unit('profiled/0');
  const instance = (await world.status()).machines[machine]!['instance-id'];
  const { profiles } = (await containers(world.uuid)).find((one) => one.name === instance)!;
  expect(profiles.slice(0, 1)).toEqual(['default']);
  const name = profiles.find((one) => /^juju-boxes-[0-9a-f]{6}-profiled-\d+$/.test(one))!;
  const shown = await lxd.lxc('profile', 'show', name);
  expect(shown).toContain('path: /dev/grigri-sink');
  expect(shown).toContain('environment.GRIGRI_PROFILED: "yes"');

  // The next revision has another device, which upgrade-charm needs: the hook runs when the machine has the profile.
  const next = join(world.dir, 'profiled');
  cpSync(join(charms, 'profiled'), next, { recursive: true });
  const profile = join(next, 'lxd-profile.yaml');
  writeFileSync(profile, readFileSync(profile, 'utf8').replaceAll('grigri-sink', 'grigri-drain'));
  const hook = '#!/bin/bash -eu\ntest -c /dev/grigri-drain\nstatus-set active "the drain is there"\n';
  writeFileSync(join(next, 'hooks/upgrade-charm'), hook, { mode: 0o755 });
  await world.grigri('refresh', 'profiled', '--path', next);
  await world.untilUnit('profiled/0', { workload: 'active', message: 'the drain is there' });
  const log = await world.grigri('debug-log', '--replay', '--no-tail', '--include', 'profiled/0');
  expect(log).not.toMatch(/hook "[^"]*" \(via [^)]*\) failed/);
  const now = (await containers(world.uuid)).find((one) => one.name === instance)!;
  expect(now.profiles).not.toContain(name);
  await world.grigri('remove-application', 'profiled', '--no-prompt');
  await world.until('the profile to go', async () => !(await lxd.lxc('profile', 'list')).includes(name));
});

test('a unit in a container on a container can be reached', async () => {
  const { machine } = await world.unit('memcached/0');
  await world.grigri('deploy', example('kv'), 'nested', '--to', `lxd:${machine}`, ...base, '--force');
  await world.untilUnit('nested/0', { workload: 'active', agent: 'idle' });
  expect((await world.unit('nested/0')).machine).toBe(`${machine}/lxd/0`);
  const host = await address(world, 'nested/0');
  const pong = (): Promise<string> => talk(host, 7379, 'PING\n', /\n/);
  expect(await reaches(host, 7379)).toBe(false);
  await world.grigri('expose', 'nested');
  await world.until('the port to open', () => reaches(host, 7379));
  await world.until('an answer', async () => (await pong()).includes('PONG'));
  await world.grigri('unexpose', 'nested');
  await world.until('the port to close', async () => !(await reaches(host, 7379)));
  // Machines of the model reach the server without expose, as they reach each other.
  const python = `import socket; socket.create_connection(("${host}", 7379), 5)`;
  await world.grigri('ssh', 'web/0', `python3 -c '${python}'`);
  await world.grigri('remove-application', 'nested', '--no-prompt');
  await world.until(
    'the container to go',
    async () => !(await world.grigri('status')).includes(`${machine}/lxd/0`),
  );
});

test('everything that was deployed can be removed, with its containers, profiles and volumes', async () => {
  await world.grigri('remove-application', '--no-prompt', 'web', 'kv', 'shipper', 'memcached');
  await timed('five machines removed', () =>
    world.until('the machines to go', async () => Object.keys((await world.status()).machines).length === 0),
  );
  await world.until('the containers to go', async () => (await containers(world.uuid)).length === 0);
});
