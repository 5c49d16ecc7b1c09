import type { BlockType } from '../../../core/block/blocks.ts';
import { blocksOf } from '../shared/blocks.ts';
import { takeNumbers, type Tx } from '../tx.ts';

/** Disables a set of commands in the model, or changes the message of its block. */
export function switchBlockOn(tx: Tx, args: { readonly type: BlockType; readonly message: string }): void {
  const before = tx.get('block', args.type);
  tx.put('block', args.type, { ...args, number: before?.number ?? takeNumbers(tx, 'block') });
}

/** Enables a set of commands again. A set that is not disabled is left as it is. */
export function switchBlockOff(tx: Tx, { type }: { readonly type: BlockType }): void {
  if (tx.get('block', type)) tx.remove('block', type);
}

/** Removes all blocks of all models, in the controller's space. */
export function removeBlocks(tx: Tx): void {
  for (const { uuid } of tx.list('model')) {
    const model = tx.in(uuid);
    for (const { type } of blocksOf(model)) model.remove('block', type);
  }
}
