import { JujuError } from '../../../core/errors.ts';
import { ending, type ForceRequest } from './force.ts';
import { forceWarnings } from './skipped.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';

/** Makes the model dying, in the controller's space; the undertaker removes everything in it, the record last. */
export function destroyModel(tx: Tx, args: { uuid: string; force?: ForceRequest }): { warnings: string[] } {
  const model = mustGet(tx, 'model', args.uuid);
  if (tx.get('controller', 'self')?.modelUuid === args.uuid)
    throw new JujuError('', 'cannot destroy the controller model: use destroy-controller');
  tx.put('model', args.uuid, { ...model, life: 'dying', ...ending(tx, model, args.force) });
  const space = tx.in(args.uuid);
  setStatus(space, 'model', '', 'destroying');
  return { warnings: forceWarnings(space, { kind: 'model', id: args.uuid }) };
}
