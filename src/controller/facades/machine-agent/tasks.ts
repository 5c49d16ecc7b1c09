import { type TaskDoc, isOpen } from '../../../core/task/document.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { ownMachine, ownUnit } from './own-unit.ts';

/** Errors: `action no longer available` when it was started or cancelled meanwhile. */
export async function startTask(call: Call, params: { id: string }): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    const task = ownTask(call, tx, params.id);
    if (task.status !== 'pending')
      throw new JujuError('action no longer available', 'action no longer available');
    tx.put('task', task.id, { ...task, status: 'running', started: tx.now });
  }, call.by);
  return {};
}

/** Errors: '' when the task does not run. */
export async function logTask(
  call: Call,
  params: MachineAgentMethods['LogTask']['params'],
): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    const task = ownTask(call, tx, params.id);
    if (task.status !== 'running' && task.status !== 'aborting')
      throw new JujuError('', `cannot log message to task "${task.id}" with status ${task.status}`);
    const line = { timestamp: tx.now, message: params.message };
    tx.put('task', task.id, { ...task, log: [...(task.log ?? []), line] });
  }, call.by);
  return {};
}

/** A task that has ended stays as it ended. */
export async function finishTask(
  call: Call,
  params: MachineAgentMethods['FinishTask']['params'],
): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    const task = ownTask(call, tx, params.id);
    if (!isOpen(task)) return;
    const { status, message, output } = params;
    tx.put('task', task.id, { ...task, status, message, output, completed: tx.now });
  }, call.by);
  return {};
}

function ownTask(call: Call, tx: Tx, id: string): TaskDoc {
  const task = mustGet(tx, 'task', id);
  if (task.receiverKind === 'unit') ownUnit(call, tx, task.receiver);
  else if (task.receiver !== ownMachine(call)) throw permissionDenied();
  return task;
}
