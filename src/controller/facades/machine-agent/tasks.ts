import { defined } from '../../../core/defined.ts';
import { permissionDenied } from '../../../core/errors.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import * as transactions from '../../transactions/agent/run-task.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { ownMachine, ownUnit } from './own-unit.ts';

export function startTask(call: Call, { id }: { id: string }): Promise<Record<string, never>> {
  return changeOwnTask(call, id, (tx) => transactions.startTask(tx, { task: id }));
}

export function logTask(
  call: Call,
  { id, message }: MachineAgentMethods['LogTask']['params'],
): Promise<Record<string, never>> {
  return changeOwnTask(call, id, (tx) => transactions.logTask(tx, { task: id, message }));
}

export function finishTask(
  call: Call,
  { id, revealed, ...outcome }: MachineAgentMethods['FinishTask']['params'],
): Promise<Record<string, never>> {
  const sealedOutput = revealed && call.services.sealer.seal(JSON.stringify(revealed));
  return changeOwnTask(call, id, (tx) =>
    transactions.finishTask(tx, { task: id, outcome: { ...outcome, ...defined({ sealedOutput }) } }),
  );
}

/**
 * Changes a task of the agent. Errors: `unauthorized access` when its receiver is neither the agent's machine nor a
 * unit on it.
 */
async function changeOwnTask(
  call: Call,
  id: string,
  change: (tx: Tx) => void,
): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    const { receiverKind, receiver } = mustGet(tx, 'task', id);
    if (receiverKind === 'unit') ownUnit(call, tx, receiver);
    else if (receiver !== ownMachine(call)) throw permissionDenied();
    change(tx);
  }, call.by);
  return {};
}
