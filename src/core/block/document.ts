import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { commandSets, type BlockType } from './blocks.ts';

/** A block: a set of commands that is disabled in a model. Model space; id = its type. */
export interface BlockDoc {
  readonly type: BlockType;
  /** Number of the block in its model; never given twice. */
  readonly number: number;
  /** Reason that users of these commands are told; '' = none. */
  readonly message: string;
}

export const block = defineKind<BlockDoc>()({
  space: 'model',
  idOf: ({ type }) => type,
  quota: {
    name: ({ type }) => `block ${type}`,
    measures: [{ limit: limits.blockMessage, of: ({ message }) => message }],
  },
  describe: (before, after, { id }) => {
    const reason = after?.message ?? '';
    const what = after ? (before ? 'message changed' : 'disabled') : 'enabled';
    const subject = `commands of the set ${commandSets[id as BlockType]}`;
    return [{ subject, what, detail: reason === '' ? '' : `"${reason}"`, about: [] }];
  },
});
