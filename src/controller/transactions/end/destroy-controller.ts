import { blockedError } from '../../../core/block/blocks.ts';
import { JujuError } from '../../../core/errors.ts';
import { controllerImpediments } from '../../../core/impediments.ts';
import { blockedModels } from '../shared/blocks.ts';
import { destroyModel } from './destroy-model.ts';
import { ending, type ForceRequest } from './force.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Destroys the controller, in its own space: from now on no model can be added or changed; hosted models are destroyed
 * first, when that is asked for. Returns the hosted models.
 * Errors: `operation is blocked` when a model has a block; `controller has hosted models`.
 */
export function destroyController(
  tx: Tx,
  args: { destroyModels: boolean; force?: ForceRequest; storageEnd?: 'destroy' | 'release' },
): { models: string[]; warnings: string[] } {
  const controller = tx.get('controller', 'self');
  if (!controller) throw new JujuError('not found', 'controller not found');
  const [blocked] = blockedModels(tx);
  if (blocked) throw blockedError('found blocks in controller models', blocked.blocks[0]!.type);
  const hosted = controllerImpediments(tx).map(({ id }) => id);
  if (hosted.length > 0 && !args.destroyModels)
    throw new JujuError(
      'controller has hosted models',
      `failed to destroy controller model: hosting ${hosted.length} other model${hosted.length === 1 ? '' : 's'}`,
    );
  const warnings: string[] = [];
  for (const uuid of hosted)
    warnings.push(
      ...destroyModel(tx, { uuid, ...defined({ force: args.force, storageEnd: args.storageEnd }) }).warnings,
    );
  const controllerModel = mustGet(tx, 'model', controller.modelUuid);
  tx.put('model', controllerModel.uuid, {
    ...controllerModel,
    life: 'dying',
    ...ending(tx, controllerModel, args.force),
  });
  setStatus(tx.in(controllerModel.uuid), 'model', '', 'destroying');
  return { models: hosted, warnings };
}
