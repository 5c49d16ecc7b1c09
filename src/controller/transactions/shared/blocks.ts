import type { BlockDoc } from '../../../core/block/document.ts';
import { blockTypes } from '../../../core/block/blocks.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import type { View } from '../tx.ts';

/** Blocks of a model, the one that stops least first. */
export function blocksOf(model: View): BlockDoc[] {
  return blockTypes.flatMap((type) => model.get('block', type) ?? []);
}

/** Models that have blocks, in the controller's space. */
export function blockedModels(
  view: View,
): { readonly model: ModelDoc; readonly blocks: readonly BlockDoc[] }[] {
  return [...view.in('').list('model')].flatMap((model) => {
    const blocks = blocksOf(view.in(model.uuid));
    return blocks.length === 0 ? [] : [{ model, blocks }];
  });
}
