import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sshHostKeys } from './ssh-host-keys.ts';

test('the public host keys of a folder are read in the order of their names, at most the requested number', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-host-keys-'));
  try {
    for (const name of [
      'ssh_host_rsa_key.pub',
      'ssh_host_rsa_key',
      'ssh_host_ed25519_key.pub',
      'sshd_config',
    ])
      writeFileSync(join(folder, name), `${name} text\n`);
    expect(sshHostKeys(9, folder)).toEqual(['ssh_host_ed25519_key.pub text', 'ssh_host_rsa_key.pub text']);
    expect(sshHostKeys(1, folder)).toEqual(['ssh_host_ed25519_key.pub text']);
    expect(sshHostKeys(9, join(folder, 'none'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
