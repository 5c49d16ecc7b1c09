/** What a machine's statuses are, and how it is given up: for all that explains machines. */
import type { MachineDoc } from '../machine/document.ts';
import { initialStatus, statusId, type Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { listed } from './walk.ts';

export function instanceStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('instance', id)) ?? initialStatus('instance', createdAt);
}

export function machineAgentStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('machine-agent', id)) ?? initialStatus('machine-agent', createdAt);
}

/** Its agent has never come: it boots, or its first boot failed. */
export function isSilent(machine: MachineDoc, view: ExplainView): boolean {
  const { status } = machineAgentStatus(machine, view);
  return status === 'pending' || status === 'error';
}

/** An agent that was not heard for so long is frozen: pings go both ways every half of it. */
const frozenAfterMs = 60_000;

/**
 * RFC 3339: since when its agent has said nothing though it has a connection: it hangs, or its machine does. Undefined:
 * it answers, or has no connection.
 */
export function frozenSince({ id }: MachineDoc, view: ExplainView): string | undefined {
  const heardAt = view.heardAt(id);
  return heardAt !== undefined && elapsedMs(heardAt, view) >= frozenAfterMs ? heardAt : undefined;
}

export function elapsedMs(since: string, { now }: ExplainView): number {
  return Date.parse(now) - Date.parse(since);
}

export function forcedMachineRemoval({ id }: MachineDoc, view: ExplainView): Actor['commands'][number] {
  const units = view.count('unit', 'machine', id);
  const containers = view.count('machine', 'parent', id);
  const those = [
    ...(containers === 0 ? [] : [containers === 1 ? 'the container on it' : `its ${containers} containers`]),
    ...(units === 0 ? [] : [units === 1 ? 'the unit on it' : `the ${units} units on it`]),
  ];
  return {
    line: `grigri remove-machine ${id} --force`,
    effect: `gives up ${listed([`machine ${id}`, ...those])}`,
  };
}
