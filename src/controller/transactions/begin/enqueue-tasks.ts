import type { OperationDoc } from '../../../core/operation/document.ts';
import type { TaskDoc } from '../../../core/task/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { jsonBytes } from '../../../core/json-bytes.ts';
import { checkLimit, cut, limits } from '../../../core/limits.ts';
import { mustGet, takeNumbers, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/** Action that a task is to run. */
export interface PlannedAction {
  readonly name: string;
  readonly parameters: TaskDoc['parameters'];
  /** Sealed text of what is hidden in the parameters. */
  readonly sealed?: string;
  readonly sealedParameters?: string;
  readonly parallel?: boolean;
  readonly executionGroup?: string;
  /** Reason why the receiver cannot run the action: its task is kept as an error, and no agent sees it. */
  readonly rejected?: string;
}

/** Maximum length of an operation's summary and of failure reasons, which may name thousands of units. */
const summaryMax = 4096;
const rejectionMax = 512;

/**
 * Creates one operation with a task for each receiver; operations and tasks share one number sequence, as in Juju.
 * `fail` says why other receivers have no task.
 * Errors: `not found` for a receiver that does not exist, `dead` for a dead one; `quota limit exceeded` for the
 * parameters of all.
 */
export function enqueueTasks(
  tx: Tx,
  args: {
    summary: string;
    receivers: readonly {
      kind: 'unit' | 'machine';
      name: string;
      action: PlannedAction;
    }[];
    fail?: string;
  },
): { readonly operation: OperationDoc; readonly tasks: readonly TaskDoc[] } {
  checkLimit(limits.operationParameters, parametersOf(args.receivers));
  const first = takeNumbers(tx, 'task', args.receivers.length + 1);
  const id = String(first + 1);
  const tasks = args.receivers.map((receiver, n) => {
    const entity = mustGet(tx, receiver.kind, receiver.name);
    if (entity.life === 'dead') throw new JujuError('dead', `${receiver.kind} ${receiver.name} is dead`);
    const task: TaskDoc = {
      id: String(first + 2 + n),
      operation: id,
      receiver: receiver.name,
      receiverKind: receiver.kind,
      name: receiver.action.name,
      parameters: receiver.action.parameters,
      ...defined({
        sealed: receiver.action.sealed,
        sealedParameters: receiver.action.sealedParameters,
        parallel: receiver.action.parallel ? (true as const) : undefined,
        executionGroup: receiver.action.executionGroup || undefined,
      }),
      ...(receiver.action.rejected === undefined
        ? { status: 'pending', message: '' }
        : {
            status: 'error',
            message: cut({ max: rejectionMax }, receiver.action.rejected),
            completed: tx.now,
          }),
      output: {},
      enqueued: tx.now,
    };
    tx.put('task', task.id, task);
    return task;
  });
  const summary = cut({ max: summaryMax }, args.summary);
  const { fail } = args;
  const operation: OperationDoc = {
    id,
    summary,
    enqueued: tx.now,
    tasks: tasks.map((task) => task.id),
    ...defined({ fail: fail === undefined ? undefined : cut({ max: summaryMax }, fail) }),
  };
  tx.put('operation', id, operation);
  return { operation, tasks };
}

/** The size of all parameters in bytes; most receivers of a request share theirs, which are measured once. */
function parametersOf(receivers: readonly { readonly action: PlannedAction }[]): number {
  const sizes = new Map<unknown, number>();
  let total = 0;
  for (const { action } of receivers) {
    const { parameters, sealed = '', sealedParameters = '' } = action;
    const size = sizes.get(parameters) ?? jsonBytes(parameters);
    sizes.set(parameters, size);
    // A sealed text is in base64.
    total += size + ((sealed.length + sealedParameters.length) * 3) / 4;
  }
  return total;
}
