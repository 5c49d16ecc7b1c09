/** Upgrades of the programs of agents (docs/upgrades.md). */
import type { MachineDoc } from './document.ts';

/** State of the change of an agent's program: `asked` until the agent reports it, `failed` when it did not come up. */
export function programChange({
  program,
  programWanted: wanted,
}: {
  readonly program?: MachineDoc['program'] | undefined;
  readonly programWanted?: MachineDoc['programWanted'] | undefined;
}): 'asked' | 'failed' | undefined {
  if (!wanted || program?.build === wanted.build) return undefined;
  const { failed } = program ?? {};
  return failed?.build === wanted.build && failed.attempt >= wanted.attempt ? 'failed' : 'asked';
}

/** Number of agents of a model that change their program at a time, once one has come up with it. */
const stepSize = 5;

/**
 * Number of further agents that may be asked now: the first of a model goes alone, and when one has failed none is
 * asked. `changed`: agents that run the program; `asked`, `failed`: as programChange.
 */
export function nextStep(counts: {
  readonly changed: number;
  readonly asked: number;
  readonly failed: number;
}): number {
  if (counts.failed > 0) return 0;
  return Math.max(0, (counts.changed > 0 ? stepSize : 1) - counts.asked);
}

/** Beginning of a build by which people tell it from others. */
export function shortBuild(build: string): string {
  return build.slice(0, 12);
}

/** How far the agents of a model are with a program. */
export interface AgentUpgrade {
  readonly changed: number;
  /** Number of those that can take it and have not. */
  readonly others: number;
  /** Machines that were asked. */
  readonly asked: readonly string[];
  readonly failed: readonly { readonly machine: string; readonly message: string }[];
}

export function agentUpgrade(
  machines: Iterable<Pick<MachineDoc, 'id' | 'life' | 'program' | 'programWanted'>>,
  build: string,
): AgentUpgrade {
  let [changed, others] = [0, 0];
  const asked: string[] = [];
  const failed: { machine: string; message: string }[] = [];
  for (const { id, life, program, programWanted } of machines) {
    if (life !== 'alive' || (!program && !programWanted)) continue;
    if (program?.build === build) {
      changed++;
      continue;
    }
    others++;
    const state = programWanted?.build === build ? programChange({ program, programWanted }) : undefined;
    if (state === 'failed') failed.push({ machine: id, message: program!.failed!.message });
    if (state === 'asked') asked.push(id);
  }
  return { changed, others, asked, failed };
}
