/** Rule of blocks: which operations a model's blocks stop (blocks.md#command-sets). */
import { JujuError } from '../errors.ts';

/** Types of blocks with the names of their command sets; each stops what the ones before it stop, and more. */
export const commandSets = {
  BlockDestroy: 'destroy-model',
  BlockRemove: 'remove-object',
  BlockChange: 'all',
} as const;
export type BlockType = keyof typeof commandSets;
export const blockTypes = Object.keys(commandSets) as readonly BlockType[];

/**
 * The effect of a request on a model, for the model's blocks: it destroys the model, removes something in it, or
 * changes it otherwise.
 */
export type BlockedOperation = 'destroy' | 'remove' | 'change';

/** Types of blocks that stop an operation, in the order in which their messages are told. */
const stoppedBy: Readonly<Record<BlockedOperation, readonly BlockType[]>> = {
  destroy: ['BlockDestroy', 'BlockRemove', 'BlockChange'],
  remove: ['BlockRemove', 'BlockChange'],
  change: ['BlockChange'],
};

interface Block {
  readonly type: BlockType;
  readonly message: string;
}

/** The blocks of a model, by type. */
interface Blocks {
  get(kind: 'block', type: BlockType): Block | undefined;
}

/** The block that stops the operation; undefined = none does. */
export function blockOf(blocks: Blocks, operation: BlockedOperation): Block | undefined {
  for (const type of stoppedBy[operation]) {
    const block = blocks.get('block', type);
    if (block) return block;
  }
  return undefined;
}

/**
 * Throws when a block stops the operation. Errors: `operation is blocked`, with the block's own message, and the set
 * that it disables as `info`.
 */
export function checkNotBlocked(blocks: Blocks, operation: BlockedOperation): void {
  const block = blockOf(blocks, operation);
  if (block) throw blockedError(block.message || 'the operation has been blocked', block.type);
}

/** The error for a stopped operation. `info` names the set of commands to enable. */
export function blockedError(message: string, type: BlockType): JujuError {
  return new JujuError('operation is blocked', message, { info: { 'command-set': commandSets[type] } });
}
