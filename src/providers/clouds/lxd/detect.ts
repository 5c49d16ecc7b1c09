/** Detection of LXD servers: this computer's own, and the remotes of the `lxc` client. */
import { stat } from 'node:fs/promises';
import type { DetectedCloud, DetectIo } from '../../contract/provider.ts';
import { socketPaths } from './endpoint.ts';
import { localCloud } from './names.ts';

export async function detect({ env, home }: DetectIo): Promise<DetectedCloud[]> {
  const own: DetectedCloud[] = [];
  for (const path of socketPaths(env)) {
    const isSocket = await stat(path).then(
      (found) => found.isSocket(),
      () => false,
    );
    if (!isSocket) continue;
    own.push({ name: localCloud, endpoint: path, regions: [localCloud], credentials: {} });
    break;
  }
  // The module is imported lazily, because its YAML parser is slow to load.
  const { detectRemotes } = await import('./lxc-remotes.ts');
  return [...own, ...(await detectRemotes(env, home))];
}
