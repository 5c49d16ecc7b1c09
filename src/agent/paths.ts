/** Paths of files on a machine (unit-agent.md#unit-paths, machine-environment.md#machine-paths). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { machineTag, unitTag } from '../wire/tags.ts';

export interface UnitPaths {
  /** Folder of everything that belongs to the unit. */
  readonly agentDir: string;
  readonly charmDir: string;
  /** Folder of the resources that the charm asked for. */
  readonly resourcesDir: string;
  readonly stateDir: string;
  /** File with the state of the unit's agent, as it was saved last. */
  readonly savedState: string;
  /** Folder of downloaded archives. */
  readonly bundlesDir: string;
  /** Folder of the hook tools, first on a hook's PATH. */
  readonly toolsDir: string;
  /** Socket of the hook tools; its folder holds nothing else. */
  readonly socket: string;
  /** File that records the running hook's process group. */
  readonly processFile: string;
}

/**
 * Paths of a unit. `runDir`: folder for sockets, when their paths within `dataDir` would be longer than the kernel
 * allows.
 */
export function unitPaths(dataDir: string, unit: string, runDir?: string): UnitPaths {
  const tag = unitTag(unit);
  const agentDir = join(dataDir, 'agents', tag);
  const stateDir = join(agentDir, 'state');
  return {
    agentDir,
    charmDir: join(agentDir, 'charm'),
    resourcesDir: join(agentDir, 'resources'),
    stateDir,
    savedState: join(stateDir, 'agent.json'),
    bundlesDir: join(stateDir, 'bundles'),
    toolsDir: join(dataDir, 'tools', tag),
    socket: socketPath(runDir ?? dataDir, runDir === undefined ? join('agents', tag, 'run') : tag),
    processFile: join(stateDir, 'hook-process'),
  };
}

/** Maximum length of a socket's path in the kernel, which a unit's name alone may exceed. */
const socketPathMax = 107;

function socketPath(dir: string, folder: string): string {
  const plain = join(dir, folder, 'agent.socket');
  if (Buffer.byteLength(plain) <= socketPathMax) return plain;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(dir, `run-${digest}`, 'agent.socket');
}

interface MachinePaths {
  readonly agentDir: string;
  readonly agentConf: string;
  /** File that counts the reboots that charms asked for. */
  readonly bootFile: string;
  /** Folder with `jujud`, which charms look for. */
  readonly toolsDir: string;
  readonly agentsDir: string;
  /** Socket of `juju-exec`. */
  readonly execSocket: string;
}

/** Paths of a machine. `runDir`: see unitPaths. */
export function machinePaths(dataDir: string, machineId: string, runDir?: string): MachinePaths {
  const tag = machineTag(machineId);
  const agentsDir = join(dataDir, 'agents');
  const agentDir = join(agentsDir, tag);
  return {
    agentsDir,
    agentDir,
    agentConf: join(agentDir, 'agent.conf'),
    bootFile: join(agentDir, 'boot'),
    toolsDir: join(dataDir, 'tools', tag),
    execSocket: join(runDir === undefined ? join(agentDir, 'run') : join(runDir, tag), 'exec.socket'),
  };
}
