import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentBundleFile, AgentBundles } from '../../controller/agent-bundles.ts';
import { notFound } from '../../core/errors.ts';
import { hostHardware } from './host.ts';

/** Bundles of what is in the tools' folder, made in `dir` when one is first asked for. */
export function createAgentBundles(needs: { toolsDir: string; dir: string }): AgentBundles {
  const own = hostHardware().arch!;
  const made = new Map<string, Promise<AgentBundleFile>>();
  return {
    archs: [own],
    async file(arch) {
      if (arch !== own) throw notFound('agent for', arch);
      const known = made.get(arch) ?? make(needs, arch);
      made.set(arch, known);
      try {
        return await known;
      } catch (error) {
        made.delete(arch);
        throw error;
      }
    },
  };
}

async function make(
  { toolsDir, dir }: { toolsDir: string; dir: string },
  arch: string,
): Promise<AgentBundleFile> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, `${arch}.tar.gz`);
  const next = `${path}.new`;
  await rm(next, { force: true });
  await promisify(execFile)('tar', ['-C', toolsDir, '-czf', next, 'node', 'agent.mjs']);
  await rename(next, path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { path, sha256: hash.digest('hex'), size: (await stat(path)).size };
}
