/** Limits on the size of machines: at least what their agent needs, at most what the site has. */
import { cpus, totalmem } from 'node:os';
import type { Constraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { ProviderError } from '../../contract/provider.ts';
import { limitsAround, type CgroupLayout } from './cgroups.ts';

/**
 * Minimum memory in MiB for an agent and its hooks: it was measured to take 32, and 68 where no other process on the
 * host shares its program's memory. With less the kernel kills it repeatedly.
 */
export const memoryMinMiB = 96;

/** Memory in MiB per agent on a machine: a container's agent with a hook, or the machine's own agent. */
const shareMiB = 64;

interface Size {
  readonly cores: number;
  /** Memory in MiB. */
  readonly mem: number;
}

/** Returns the size available to machines: the host's or, inside a machine, its limits. */
export async function sizeAround(cgroups: CgroupLayout | undefined): Promise<Size> {
  const around = cgroups ? await limitsAround(cgroups) : {};
  return {
    cores: Math.ceil(Math.min(cpus().length, around.cores ?? Infinity)),
    mem: Math.min(Math.floor(totalmem() / 1024 / 1024), around.memoryMiB ?? Infinity),
  };
}

/**
 * Refuses a request that could never run. `whose`: "this host's", for users. Where there are no limits, no machine is
 * too small. `agentsHere`: inside a machine, the number of agents that share its memory with the new one. Errors:
 * JujuError `not valid`.
 */
export async function checkSize(
  { mem, cores }: Constraints,
  cgroups: CgroupLayout | undefined,
  whose: string,
  agentsHere = 0,
): Promise<void> {
  if (cgroups && mem && mem < memoryMinMiB)
    throw new JujuError(
      'not valid',
      `mem=${mem}M is too small: a machine with its agent needs ${memoryMinMiB}M`,
    );
  const all = await sizeAround(cgroups);
  if (agentsHere > 0 && all.mem < (agentsHere + 1) * shareMiB)
    throw new JujuError(
      'not valid',
      `${whose} ${all.mem}M are too little for another container: each needs ${shareMiB}M, as the machine does itself`,
    );
  if (mem && mem > all.mem) throw new JujuError('not valid', `mem=${mem}M is more than ${whose} ${all.mem}M`);
  if (cores && cores > all.cores)
    throw new JujuError('not valid', `cores=${cores} is more than ${whose} ${all.cores}`);
}

/** Returns the free memory in MiB, of the host or within the limits around this process. */
export function freeMemory(): number {
  return Math.floor(process.availableMemory() / 1024 / 1024);
}

/** Memory in MiB that machines leave free: without it other processes here, the controller first, would stall. */
const reserveMiB = Math.min(1024, Math.max(256, Math.floor(totalmem() / 1024 / 1024 / 20)));

/** Refuses another machine while memory is used up. `free`: MiB. Errors: ProviderError `quota`, which is retried. */
export function checkRoom(free: number, whose: string): void {
  if (free >= reserveMiB) return;
  throw new ProviderError(
    'quota',
    `${whose} memory is used up: ${free} MiB are free, and another machine needs ${reserveMiB} MiB`,
  );
}
