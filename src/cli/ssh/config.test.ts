import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderConfig, renderKnownHosts, type SshHost } from './config.ts';

const container: SshHost = {
  alias: 'machine-0-lxd-1',
  address: '10.1.1.2',
  port: 22,
  user: 'ubuntu',
  keys: ['ssh-ed25519 AAAA', 'ssh-rsa BBBB'],
  jump: 'machine-0',
};
const host: SshHost = { alias: 'machine-0', address: 'fd00::1', port: 2222, user: 'me', keys: 'unchecked' };
const controller: SshHost = {
  alias: 'controller',
  address: '192.0.2.1',
  port: 22,
  user: 'ubuntu',
  keys: { file: '/home/a b/known_hosts', alias: 'c/m/i' },
};
const params = {
  hosts: [container, host, controller],
  identityFile: '/home/a b/100%',
  knownHostsFile: '/tmp/k',
  include: ['/home/a b/.ssh/config'],
};

test('a container is reached through its host, by the keys that its agent reported', () => {
  const [first = ''] = renderConfig(params).split('\nHost machine-0\n');
  expect(first).toBe(`Host machine-0-lxd-1
  HostName 10.1.1.2
  Port 22
  User "ubuntu"
  IdentityFile "/home/a b/100%%"
  PasswordAuthentication no
  ServerAliveInterval 30
  CheckHostIP no
  UpdateHostKeys no
  HashKnownHosts no
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  UserKnownHostsFile "/tmp/k"
  HostKeyAlias machine-0-lxd-1
  ProxyJump machine-0`);
  expect(renderKnownHosts(params.hosts)).toBe(
    'machine-0-lxd-1 ssh-ed25519 AAAA\nmachine-0-lxd-1 ssh-rsa BBBB\n',
  );
});

test('a host whose key is not checked has no known keys, and a host with a file of keys has those of the file', () => {
  const text = renderConfig(params);
  expect(text).toMatch(/StrictHostKeyChecking no\n {2}UserKnownHostsFile \/dev\/null\n/);
  expect(text).toMatch(/UserKnownHostsFile "\/home\/a b\/known_hosts"\n {2}HostKeyAlias c\/m\/i\n/);
  expect(text.trimEnd().split('\n').slice(-2)).toEqual(['Host *', '  Include "/home/a b/.ssh/config"']);
});

test('an address that would begin another option is refused', () => {
  const evil = { ...host, address: '10.0.0.7\n  ProxyCommand evil' };
  expect(() => renderConfig({ ...params, hosts: [evil] })).toThrow('is no address');
});

const hasSsh = spawnSync('ssh', ['-V']).status === 0;
test.skipIf(!hasSsh)("the system's ssh (skipped without one) reads it as it is meant", () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri ssh-'));
  try {
    const file = join(folder, 'config');
    const included = join(folder, 'included');
    writeFileSync(included, 'Host *\n  Port 99\n  ForwardAgent yes\n');
    writeFileSync(file, renderConfig({ ...params, include: [included, '/none'] }));
    const { stdout, stderr } = spawnSync('ssh', ['-G', '-T', '-F', file, 'machine-0-lxd-1'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'hostname 10.1.1.2',
        'port 22',
        'user ubuntu',
        'stricthostkeychecking true',
        'proxyjump machine-0',
        'forwardagent yes',
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
