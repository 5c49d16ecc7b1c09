import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { renderAgentConf, type AgentConf } from '../../wire/agent-conf.ts';

/** Replaces the file atomically and durably: once this resolves, the old content cannot come back after a crash. */
export async function saveAgentConf(path: string, conf: AgentConf): Promise<void> {
  const next = `${path}.new`;
  {
    await using file = await open(next, 'w', 0o600);
    await file.writeFile(renderAgentConf(conf));
    await file.sync();
  }
  await rename(next, path);
  await using folder = await open(dirname(path));
  await folder.sync();
}
