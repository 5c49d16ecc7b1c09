import { createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePrivate } from './write-private.ts';

/** Juju's comment on the client's key: the controller leaves such keys out of lists. */
const comment = 'juju-client-key';

/** The private half. `dir`: the client's files. */
export function sshKeyFile(dir: string): string {
  return join(dir, 'ssh', 'juju_id_rsa');
}

/**
 * Makes `ssh/juju_id_rsa` and `.pub` unless they are there; returns the public line without its end. Of clients that do so
 * at once, all get the same: what one has put on a host must not lose its private half to another.
 */
export async function ensureSshKey(dir: string): Promise<string> {
  const path = sshKeyFile(dir);
  const existing = await readFile(`${path}.pub`, 'utf8').catch(() => undefined);
  if (existing) return existing.trim();
  const pem = (await readIfThere(path)) ?? (await makeKey(path));
  const line = `${publicOf(pem, path)} ${comment}`;
  await writePrivate(`${path}.pub`, `${line}\n`);
  return line;
}

/** The first one's stays. */
async function makeKey(path: string): Promise<string> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const own = `${path}.${randomUUID()}`;
  await writePrivate(own, pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  try {
    await link(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(own);
  }
  return readFile(path, 'utf8');
}

/** Errors: plain Error for a key that somebody put there, of a kind that only ssh reads. */
function publicOf(pem: string, path: string): string {
  try {
    return sshRsaLine(createPublicKey(pem).export({ format: 'jwk' }));
  } catch (error) {
    throw new Error(`${path} has no public half: make it with ssh-keygen -y -f ${path} > ${path}.pub`, {
      cause: error,
    });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
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
