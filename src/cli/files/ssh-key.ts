import { createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { limits } from '../../core/limits.ts';
import { parseSshKey } from '../../core/model/ssh-keys.ts';
import { readGiven, type GivenFiles } from '../../kit/given-file.ts';
import { writePrivate } from './write-private.ts';

/** Juju's comment on the client's key: the controller leaves keys with it out of lists. */
const comment = 'juju-client-key';

/** Returns the path of the private key. `dir` is the folder of the client's files. */
export function sshKeyFile(dir: string): string {
  return join(dir, 'ssh', 'juju_id_rsa');
}

/**
 * Creates `ssh/juju_id_rsa` and `.pub` unless they exist, and returns the public line without its line end. Concurrent
 * clients all get the same key: a private key whose public key is on a host already must not be overwritten.
 */
export async function ensureSshKey(dir: string): Promise<string> {
  const path = sshKeyFile(dir);
  const existing = await readFile(`${path}.pub`, 'utf8').catch(() => undefined);
  if (existing) return existing.trim();
  const pem = (await readIfPresent(path)) ?? (await makeKey(path));
  const line = `${publicOf(pem, path)} ${comment}`;
  await writePrivate(`${path}.pub`, `${line}\n`);
  return line;
}

/** Files of public keys that ssh offers by default. */
const usersKeys = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub', 'id_dsa.pub', 'identity.pub'];

/**
 * Returns the keys that a new model gets, one a line: the client's own, and the user's in ~/.ssh, whose lines that are
 * no keys are left out (logging-in.md#keys-of-a-new-model).
 */
export async function keysOfNewModel(dir: string, files: GivenFiles): Promise<string> {
  const texts = await Promise.all(
    usersKeys.map((name) => readGiven(files, `~/.ssh/${name}`, limits.keyFile.max).catch(() => '')),
  );
  const lines = texts.flatMap((text) =>
    text
      .toString()
      .split('\n')
      .map((line) => line.trim()),
  );
  return [await ensureSshKey(dir), ...lines.filter((line) => parseSshKey(line))].join('\n');
}

/** Creates a private key and returns it. The key of a faster client takes precedence. */
async function makeKey(path: string): Promise<string> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const tempPath = `${path}.${randomUUID()}`;
  await writePrivate(tempPath, pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  try {
    await link(tempPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(tempPath);
  }
  return readFile(path, 'utf8');
}

/**
 * Returns the public line of a private key. Errors: plain Error for a user's own key in a format that only ssh reads.
 */
function publicOf(pem: string, path: string): string {
  try {
    return sshRsaLine(createPublicKey(pem).export({ format: 'jwk' }));
  } catch (error) {
    throw new Error(`cannot derive the public key of ${path}: run ssh-keygen -y -f ${path} > ${path}.pub`, {
      cause: error,
    });
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Encodes the key by RFC 4253 §6.6: the name, the exponent and the modulus, each with its length. */
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

/** Encodes a positive number: a leading zero byte keeps a set first bit from meaning a negative one. */
function mpint(bytes: Buffer): Buffer {
  return bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
}
