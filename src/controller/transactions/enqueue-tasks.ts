import type { OperationDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { mustGet, takeNumbers, type Tx } from './tx.ts';

/**
 * One operation with a task for each receiver (an `action` of its own instead of the common one); numbers are shared by operations and tasks, as in Juju.
 * Errors: `not found` for a receiver that does not exist, '' for one that is going.
 */
export function enqueueTasks(
  tx: Tx,
  args: {
    summary: string;
    receivers: readonly {
      kind: 'unit' | 'machine';
      name: string;
      action?: { name: string; parameters: Readonly<Record<string, unknown>> };
    }[];
    name: string;
    parameters: Readonly<Record<string, unknown>>;
  },
): OperationDoc {
  const first = takeNumbers(tx, 'task', args.receivers.length + 1);
  const id = String(first + 1);
  const tasks = args.receivers.map((receiver, n) => {
    const entity = mustGet(tx, receiver.kind, receiver.name);
    if (entity.life === 'dead') throw new JujuError('dead', `${receiver.kind} ${receiver.name} is dead`);
    const task = String(first + 2 + n);
    tx.put('task', task, {
      id: task,
      operation: id,
      receiver: receiver.name,
      receiverKind: receiver.kind,
      name: receiver.action?.name ?? args.name,
      parameters: receiver.action?.parameters ?? args.parameters,
      status: 'pending',
      message: '',
      output: {},
      enqueued: tx.now,
    });
    return task;
  });
  const operation: OperationDoc = { id, summary: args.summary, enqueued: tx.now, tasks };
  tx.put('operation', id, operation);
  return operation;
}
