import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '../json-file.ts';
import type { StartParams } from '../provider.ts';

/** `machine-0-lxd-1`, as in folder and log file names. */
export function machineTag(machineId: string): string {
  return `machine-${machineId.replaceAll('/', '-')}`;
}

/** What runs the machine agent, and where it logs. */
export function agentCommand(params: StartParams, toolsDir: string, dataDir: string): string[] {
  return [
    `${toolsDir}/node`,
    `${toolsDir}/agent.mjs`,
    'machine',
    '--data-dir',
    dataDir,
    '--machine',
    params.machineId,
  ];
}

export function agentUnitName(machineId: string): string {
  return `jujud-${machineTag(machineId)}.service`;
}

/** The agent as systemd's unit, in machines whose first process is systemd. */
export function agentUnit(machineId: string, command: readonly string[], logFile: string): string {
  return `[Unit]
Description=juju agent for ${machineTag(machineId)}
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(quote).join(' ')}
Environment=LANG=C.UTF-8
Restart=always
RestartSec=1
KillMode=process
LimitNOFILE=64000
StandardOutput=append:${logFile}
StandardError=append:${logFile}

[Install]
WantedBy=multi-user.target
`;
}

/** Only when absent: the agent changes it (its password, the controllers' addresses). */
export async function writeAgentConf(dataDir: string, { machineId, agent }: StartParams): Promise<void> {
  const file = join(dataDir, 'agents', machineTag(machineId), 'agent.conf');
  if (existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true });
  // Whole or not at all: a start that was killed here would leave one that no agent can read.
  await writeWhole(file, agent.agentConf);
}

/** systemd expands % and $ also within quotes. */
function quote(word: string): string {
  return `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
