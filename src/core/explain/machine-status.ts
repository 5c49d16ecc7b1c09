/** What a machine's statuses are, and how it is given up: for all that explains machines. */
import type { MachineDoc } from '../entities.ts';
import { initialStatus, statusId, type Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';

export function instanceStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('instance', id)) ?? initialStatus('instance', createdAt);
}

export function machineAgentStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('machine-agent', id)) ?? initialStatus('machine-agent', createdAt);
}

export function forcedMachineRemoval({ id }: MachineDoc, view: ExplainView): Actor['commands'][number] {
  const units = view.count('unit', 'machine', id);
  const those = units === 0 ? '' : units === 1 ? ' and the unit on it' : ` and the ${units} units on it`;
  return { line: `grigri remove-machine ${id} --force`, effect: `gives up machine ${id}${those}` };
}
