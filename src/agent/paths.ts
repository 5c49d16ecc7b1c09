/** Paths of files on a machine (unit-agent.md#unit-paths, machine-environment.md#machine-paths). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { machineTag, unitTag } from '../wire/tags.ts';

export interface UnitPaths {
  /** All that belongs to the unit. */
  readonly agentDir: string;
  readonly charmDir: string;
  readonly stateDir: string;
  /** Downloaded archives. */
  readonly bundlesDir: string;
  /** The tools' names, first on a hook's PATH. */
  readonly toolsDir: string;
  /** Hook tools speak here; its folder is for it alone. */
  readonly socket: string;
  /** The running hook's process group. */
  readonly processFile: string;
}

/** `runDir`: where sockets are, when their paths within `dataDir` would be longer than the kernel takes. */
export function unitPaths(dataDir: string, unit: string, runDir?: string): UnitPaths {
  const tag = unitTag(unit);
  const agentDir = join(dataDir, 'agents', tag);
  const stateDir = join(agentDir, 'state');
  return {
    agentDir,
    charmDir: join(agentDir, 'charm'),
    stateDir,
    bundlesDir: join(stateDir, 'bundles'),
    toolsDir: join(dataDir, 'tools', tag),
    socket: socketPath(runDir ?? dataDir, runDir === undefined ? join('agents', tag, 'run') : tag),
    processFile: join(stateDir, 'hook-process'),
  };
}

/** The kernel takes no longer ones, and a unit's name may have more letters alone. */
const socketPathMax = 107;

function socketPath(dir: string, folder: string): string {
  const plain = join(dir, folder, 'agent.socket');
  if (Buffer.byteLength(plain) <= socketPathMax) return plain;
  const short = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(dir, `run-${short}`, 'agent.socket');
}

export interface MachinePaths {
  readonly agentDir: string;
  readonly agentConf: string;
  /** Counts the reboots that charms asked for. */
  readonly bootFile: string;
  /** Holds `jujud`, which charms look for. */
  readonly toolsDir: string;
  readonly agentsDir: string;
  /** `juju-exec` speaks here. */
  readonly execSocket: string;
}

/** `runDir`: as unitPaths takes it. */
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
