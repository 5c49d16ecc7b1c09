/** The kit's provider cases over hosts with a real sshd. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { describeProvider } from '../../src/providers/conformance/index.ts';
import type { Access } from '../../src/providers/clouds/manual/instances.ts';
import { makeHosts, type TestHost } from './hosts.ts';
import { manualWithAccess } from './provider.ts';

const hosts = makeHosts();
const made: TestHost[] = [];
let before: readonly Readonly<Record<string, string>>[] = [];
const own = join(hosts.folder, 'own');
execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'client', '-f', own]);
const access: Access = {
  knownHostsFile: join(hosts.folder, 'known_hosts'),
  ownKeys: [own],
  identityFiles: [hosts.key],
  authorizedKeys: [readFileSync(`${own}.pub`, 'utf8').trim()],
};
process.env['GRIGRI_TEST_ACCESS'] = JSON.stringify(access);

beforeAll(async () => {
  const all = ['zero', 'one', 'two', 'three'].map((name, i) =>
    hosts.make(name, { init: i === 1 ? 'systemd' : 'minimal' }),
  );
  made.push(...(await Promise.all(all)));
  before = made.map((host) => host.files());
});
afterAll(async () => {
  try {
    expect(made.map((host) => host.files())).toEqual(before);
  } finally {
    await hosts.end();
  }
});

describeProvider({
  name: 'manual',
  possible: true,
  fresh: manualWithAccess,
  process: { module: new URL('provider.ts', import.meta.url).href, name: 'manualWithAccess' },
  start: (machineId) => ({ placement: `ssh:root@${made[Number(machineId)]!.address}` }),
  machines: 4,
  timeoutMs: 180_000,
  impossible: { placement: 'rack=7' },
  leftovers: () => made.flatMap((host, i) => changes(host, before[i]!)),
});

function changes(host: TestHost, were: Readonly<Record<string, string>>): string[] {
  const are = host.files();
  const paths = [...new Set([...Object.keys(are), ...Object.keys(were)])];
  return paths.filter((path) => are[path] !== were[path]).map((path) => `${host.name}: ${path}`);
}
