/** Shared by all explanations of machines: their statuses, and the commands that give a machine up. */
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

/** Whether the machine's agent has never connected: the machine boots, or its first boot failed. */
export function isSilent(machine: MachineDoc, view: ExplainView): boolean {
  const { status } = machineAgentStatus(machine, view);
  return status === 'pending' || status === 'error';
}

/** Milliseconds without a message after which an agent counts as frozen; pings go both ways every half of it. */
const frozenAfterMs = 60_000;

/**
 * RFC 3339: since when a connected agent has been silent, because it or its machine hangs; undefined when the agent
 * answers or has no connection.
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
  const commands = [
    ...(containers === 0 ? [] : [containers === 1 ? 'the container on it' : `its ${containers} containers`]),
    ...(units === 0 ? [] : [units === 1 ? 'the unit on it' : `the ${units} units on it`]),
  ];
  return {
    line: `remove-machine ${id} --force`,
    effect: `removes ${listed([`machine ${id}`, ...commands])}`,
  };
}
