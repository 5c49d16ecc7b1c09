import { createPrivateKey, createPublicKey, createSign, createVerify } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureSshKey } from './ssh-key.ts';

test('ensureSshKey creates a matching pair of keys once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-ssh-'));
  try {
    const line = await ensureSshKey(dir);
    expect(line).toMatch(/^ssh-rsa AAAAB3NzaC1yc2E[\w+/=]+ juju-client-key$/);
    const pem = readFileSync(join(dir, 'ssh/juju_id_rsa'), 'utf8');
    expect(pem).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
    expect(statSync(join(dir, 'ssh/juju_id_rsa')).mode & 0o777).toBe(0o600);
    // The public line, decoded by RFC 4253, verifies a signature of the private key.
    const [, e, n] = fields(Buffer.from(line.split(' ')[1]!, 'base64'));
    const jwk = {
      kty: 'RSA',
      e: e!.toString('base64url'),
      n: n!.subarray(n![0] === 0 ? 1 : 0).toString('base64url'),
    };
    const signature = createSign('sha256').update('x').sign(createPrivateKey(pem));
    expect(
      createVerify('sha256')
        .update('x')
        .verify(createPublicKey({ key: jwk, format: 'jwk' }), signature),
    ).toBe(true);
    expect(await ensureSshKey(dir)).toBe(line);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('ensureSshKey returns the same key to concurrent clients', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-ssh-'));
  try {
    const lines = new Set(await Promise.all([1, 2, 3, 4].map(() => ensureSshKey(dir))));
    expect(lines.size).toBe(1);
    expect(readdirSync(join(dir, 'ssh')).sort()).toEqual(['juju_id_rsa', 'juju_id_rsa.pub']);
    // The public key is derived from the private one when a client was killed before it wrote both.
    rmSync(join(dir, 'ssh/juju_id_rsa.pub'));
    expect(lines).toContain(await ensureSshKey(dir));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('ensureSshKey keeps a key of the user', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-ssh-'));
  try {
    mkdirSync(join(dir, 'ssh'));
    writeFileSync(join(dir, 'ssh/juju_id_rsa'), '-----BEGIN OPENSSH PRIVATE KEY-----\n');
    await expect(ensureSshKey(dir)).rejects.toThrow(
      /cannot derive the public key of .*juju_id_rsa: run ssh-keygen/,
    );
    expect(readFileSync(join(dir, 'ssh/juju_id_rsa'), 'utf8')).toMatch(/OPENSSH/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

function fields(blob: Buffer): Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at < blob.length;) {
    const length = blob.readUInt32BE(at);
    list.push(blob.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return list;
}
