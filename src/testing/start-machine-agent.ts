/** Starts a machine agent in this process, with real charms and hooks, as its provider would start its process. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { controllerLink } from '../agent/controller-link.ts';
import { machineFacts, jujuArch } from '../agent/machine/facts.ts';
import { MachineAgent } from '../agent/machine/machine-agent.ts';
import { commandRunner } from '../agent/machine/run-command.ts';
import { saveAgentConf } from '../agent/machine/save-agent-conf.ts';
import type { StorageHost } from '../agent/machine/storage-worker.ts';
import { OwnPassword } from '../agent/own-password.ts';
import { unitHosts } from '../agent/unit/unit-host.ts';
import { defined } from '../core/defined.ts';
import { systemClock } from '../kit/clock.ts';
import { createLog, formatRecord } from '../kit/log.ts';
import { parseAgentConf } from '../wire/agent-conf.ts';

/** Facts of this host are read once: other suites make bridges meanwhile, and a new address means a config-changed. */
const facts = machineFacts('3.6.28');

/** Starts the agent; its data is in the folder named by the machine's id, in `dir`. */
export async function startMachineAgent({
  dir,
  machineId,
  agentConf,
  address,
  onLine = () => undefined,
  storage,
  version = '3.6.28',
}: {
  readonly dir: string;
  readonly machineId: string;
  readonly agentConf: string;
  /** The controller's address. */
  readonly address: string;
  /** Takes each line of the agent's log. */
  readonly onLine?: (line: string) => void;
  readonly storage?: StorageHost;
  readonly version?: string;
}): Promise<MachineAgent> {
  const dataDir = join(dir, machineId);
  await mkdir(dataDir, { recursive: true });
  const conf = { ...parseAgentConf(agentConf), apiAddresses: [address] };
  const password = new OwnPassword(conf, {
    save: (next) => saveAgentConf(join(dataDir, 'agent.conf'), next),
    newPassword: () => randomUUID(),
    clock: systemClock,
    log: createLog('test', (record) => onLine(formatRecord(record)), Date.now),
  });
  const { connect, tryController, fetchCharm, fetchResource } = controllerLink(conf, password);
  return new MachineAgent({
    machineId,
    version,
    bootId: 'boot',
    connect,
    tryController,
    hosts: unitHosts({ dataDir, version, arch: jujuArch(), clock: systemClock, fetchCharm, fetchResource }),
    runCommand: commandRunner(systemClock),
    facts: () => ({ ...facts, version }),
    clock: systemClock,
    random: () => 0.5,
    newId: () => randomUUID(),
    logSink: (record) => onLine(`machine-${machineId}: ${formatRecord(record)}`),
    ...defined({ storage }),
  });
}
