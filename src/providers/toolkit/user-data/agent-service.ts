/** The agent as a service of its machine, with the same names and the same unit for every provider. */
import { serviceUnit } from './service-unit.ts';

/** Returns `machine-0-lxd-1`, the form in folder and log file names. */
export function machineTag(machineId: string): string {
  return `machine-${machineId.replaceAll('/', '-')}`;
}

/** Returns the command line of the machine agent. `toolsDir` contains `node`, `agent.mjs` (the launcher) and `program.mjs`. */
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
  return serviceUnit({
    description: `juju agent for ${machineTag(machineId)}`,
    target: 'network.target',
    command,
    environment: ['LANG=C.UTF-8', ...environment],
    logFile,
  });
}
