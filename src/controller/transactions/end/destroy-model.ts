import { checkNotBlocked } from '../../../core/block/blocks.ts';
import { JujuError } from '../../../core/errors.ts';
import { defined } from '../../../core/defined.ts';
import { ending, type ForceRequest } from './force.ts';
import { forceWarnings } from './skipped.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';

/**
 * Makes the model dying, in the controller's space; the undertaker removes everything in it, the record last. Errors:
 * `not found`, `operation is blocked`, `controller/model has persistent storage`.
 */
export function destroyModel(
  tx: Tx,
  args: { uuid: string; force?: ForceRequest; storageEnd?: 'destroy' | 'release' },
): { warnings: string[] } {
  const model = mustGet(tx, 'model', args.uuid);
  if (tx.get('controller', 'self')?.modelUuid === args.uuid)
    throw new JujuError('', 'cannot destroy the controller model: use destroy-controller');
  const space = tx.in(args.uuid);
  checkNotBlocked(space, 'destroy');
  const storageEnd = args.storageEnd ?? model.storageEnd;
  const lasting = space.count('storage', 'detachable', 'detachable');
  if (lasting > 0 && storageEnd === undefined)
    throw new JujuError(
      'controller/model has persistent storage',
      `cannot destroy model "${model.name}": it has ${lasting} storage instance${lasting === 1 ? '' : 's'} that outlive${lasting === 1 ? 's' : ''} its machine: destroy or release the storage`,
    );
  tx.put('model', args.uuid, {
    ...model,
    life: 'dying',
    ...ending(tx, model, args.force),
    ...defined({ storageEnd }),
  });
  setStatus(space, 'model', '', 'destroying');
  return { warnings: forceWarnings(space, { kind: 'model', id: args.uuid }) };
}
