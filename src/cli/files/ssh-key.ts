import { generateKeyPair } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePrivate } from './yaml-file.ts';

/** Juju's comment on the client's key: the controller leaves such keys out of lists. */
const comment = 'juju-client-key';

/** The private half. `dir`: the client's files. */
export function sshKeyFile(dir: string): string {
  return join(dir, 'ssh', 'juju_id_rsa');
}

/** Makes `ssh/juju_id_rsa` and `.pub` unless they are there; returns the public line without its end. */
export async function ensureSshKey(dir: string): Promise<string> {
  const path = sshKeyFile(dir);
  const existing = await readFile(`${path}.pub`, 'utf8').catch(() => undefined);
  if (existing) return existing.trim();
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const line = `${sshRsaLine(pair.publicKey.export({ format: 'jwk' }))} ${comment}`;
  await writePrivate(path, pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  await writePrivate(`${path}.pub`, `${line}\n`);
  return line;
}

/** RFC 4253 §6.6: the name, the exponent and the modulus, each with its length. */
function sshRsaLine(jwk: { n?: string; e?: string }): string {
  const blob = Buffer.concat(
    [
      Buffer.from('ssh-rsa'),
      mpint(Buffer.from(jwk.e!, 'base64url')),
      mpint(Buffer.from(jwk.n!, 'base64url')),
    ].map((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return Buffer.concat([length, part]);
    }),
  );
  return `ssh-rsa ${blob.toString('base64')}`;
}

/** A number whose first bit is set would read as negative. */
function mpint(bytes: Buffer): Buffer {
  return bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
}
