import { indexes, quietChanges, removedIndexes } from './indexes.ts';
import { admit } from './quotas.ts';

/** What every store of the documents is opened with: how they are found, what is told of their past, their limits. */
export const documents = { indexes, findRemovedBy: removedIndexes, quiet: quietChanges, admit } as const;
