/** What machines can be made with where they are made: between what their agent needs and all that there is. */
import { cpus, totalmem } from 'node:os';
import type { Constraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { ProviderError } from '../../contract/provider.ts';
import { limitsAround, type CgroupLayout } from './cgroups.ts';

/**
 * MiB that an agent and the hooks it runs fit in: measured, it takes 32 of its own, and 68 where nobody else on the
 * host has its program in memory. With less the kernel kills it, again and again.
 */
export const memoryMinMiB = 96;

/** MiB that each takes of a machine: a container's agent with a hook, and the agent of the machine itself. */
const shareMiB = 64;

export interface Size {
  readonly cores: number;
  /** MiB. */
  readonly mem: number;
}

/** All there is for machines here: the host's, or in a machine its limits. */
export async function sizeAround(cgroups: CgroupLayout | undefined): Promise<Size> {
  const around = cgroups ? await limitsAround(cgroups) : {};
  return {
    cores: Math.ceil(Math.min(cpus().length, around.cores ?? Infinity)),
    mem: Math.min(Math.floor(totalmem() / 1024 / 1024), around.memoryMiB ?? Infinity),
  };
}

/**
 * Refuses what could never run. `whose`: "this host's", for people. Where there are no limits, no machine has too
 * little. `agentsHere`: in a machine, those that share its memory with the new one. Errors: JujuError `not valid`.
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
      `mem=${mem}M is too little: a machine with its agent needs ${memoryMinMiB}M`,
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

/** MiB that nobody uses, of the host's or of what the limits around this process leave it. */
export function freeMemory(): number {
  return Math.floor(process.availableMemory() / 1024 / 1024);
}

/** MiB that machines leave free: what else runs here, the controller first, would come to a standstill with all of them. */
const reserveMiB = Math.min(1024, Math.max(256, Math.floor(totalmem() / 1024 / 1024 / 20)));

/** Refuses another machine where memory is used up. `free`: MiB. Errors: ProviderError `quota`: it is tried again. */
export function checkRoom(free: number, whose: string): void {
  if (free >= reserveMiB) return;
  throw new ProviderError(
    'quota',
    `${whose} memory is used up: ${free} MiB are free, and ${reserveMiB} MiB must be for another machine`,
  );
}
