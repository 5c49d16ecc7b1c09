/** Explanations of upgrades that have stopped (docs/upgrades.md). */
import type { MachineDoc } from '../machine/document.ts';
import { programChange, shortBuild } from '../machine/program.ts';
import type { Explanation, ExplainView } from './explanation.ts';
import { elapsedMs, machineAgentStatus } from './machine-status.ts';

/** Milliseconds for which an agent is away, at most, with a program that does not come up. */
const trialMs = 5 * 60_000;

/**
 * What an agent does that was asked to take another program and has no connection since; undefined = it is away for
 * another reason, or too long for that.
 */
export function programTrial(
  { program, programWanted: wanted }: MachineDoc,
  since: string | undefined,
  view: ExplainView,
): string | undefined {
  if (!program || !wanted || programChange({ program, programWanted: wanted }) !== 'asked') return undefined;
  if (since === undefined || elapsedMs(since, view) >= trialMs) return undefined;
  return `starts with program ${shortBuild(wanted.build)}, and goes back to ${shortBuild(program.build)} when that has not come up after two minutes`;
}

/** A program that did not come up on a running machine, and what the operator may do; undefined = there is none. */
export function stoppedUpgrade(
  machine: MachineDoc,
  view: ExplainView,
): Required<Pick<Explanation, 'text' | 'actor'>> | undefined {
  const { id, isController, program } = machine;
  const { message, since } = machineAgentStatus(machine, view);
  const name = `machine ${id}`;
  if (isController && message !== '')
    return {
      text: message,
      actor: {
        kind: 'operator',
        name,
        task: 'find out why the program of the controller does not come up, and try again',
        since,
        commands: [{ line: 'upgrade-controller', effect: 'gives the controller the program of this client' }],
      },
    };
  if (programChange(machine) !== 'failed') return undefined;
  const { build, message: why } = program!.failed!;
  return {
    text: `the upgrade of agents has stopped here: program ${shortBuild(build)} did not come up, and its agent went back to ${shortBuild(program!.build)}: ${why}`,
    actor: {
      kind: 'operator',
      name,
      task: 'find out why the program of the agent does not come up, and try again',
      since,
      commands: [
        {
          line: 'upgrade-model --reset-previous-upgrade',
          effect: 'asks this agent again, and then those that wait for it',
        },
      ],
    },
  };
}
