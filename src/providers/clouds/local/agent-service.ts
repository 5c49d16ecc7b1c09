import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWhole } from '../../toolkit/json-file.ts';
import type { StartParams } from '../../contract/provider.ts';
import { machineTag } from '../../toolkit/user-data/agent-service.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Writes agent.conf only when absent: the agent changes it (its password, the controllers' addresses). */
export async function writeAgentConf(dataDir: string, { machineId, agent }: StartParams): Promise<void> {
  const file = join(dataDir, 'agents', machineTag(machineId), 'agent.conf');
  if (existsSync(file)) return;
  await makeFolder(dirname(file));
  // An atomic write prevents a killed start from leaving a file that no agent can read.
  await writeWhole(file, agent.agentConf);
}
