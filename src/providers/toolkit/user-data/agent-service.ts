/** The agent as a service of its machine, with the same names and the same unit for every provider. */

/** Returns `machine-0-lxd-1`, the form in folder and log file names. */
export function machineTag(machineId: string): string {
  return `machine-${machineId.replaceAll('/', '-')}`;
}

/** Returns the command line of the machine agent. `toolsDir` contains `node` and `agent.mjs`. */
export function agentCommand(machineId: string, toolsDir: string, dataDir: string): string[] {
  return [
    `${toolsDir}/node`,
    `${toolsDir}/agent.mjs`,
    'machine',
    '--data-dir',
    dataDir,
    '--machine',
    machineId,
  ];
}

export function agentServiceName(machineId: string): string {
  return `jujud-${machineTag(machineId)}`;
}

/**
 * Renders the agent's systemd unit, for machines whose first process is systemd. `environment`: additional `NAME=value`
 * entries.
 */
export function agentUnit(
  machineId: string,
  command: readonly string[],
  logFile: string,
  environment: readonly string[] = [],
): string {
  return `[Unit]
Description=juju agent for ${machineTag(machineId)}
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(quote).join(' ')}
${['LANG=C.UTF-8', ...environment].map((variable) => `Environment=${variable}\n`).join('')}Restart=always
RestartSec=1
KillMode=process
LimitNOFILE=64000
StandardOutput=append:${logFile}
StandardError=append:${logFile}

[Install]
WantedBy=multi-user.target
`;
}

/** Quotes a word for systemd, which expands % and $ also within quotes. */
function quote(word: string): string {
  return `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
