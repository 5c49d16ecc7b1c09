import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';

/** Model space; id = number as text. */
export interface OperationDoc {
  readonly id: string;
  readonly summary: string;
  readonly enqueued: string;
  readonly tasks: readonly string[];
  /** Why receivers that were asked for got no task; absent = all did. */
  readonly fail?: string;
}

export const operation = defineKind<OperationDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  quota: { measures: [{ limit: limits.operationTasks, members: ['tasks'] }] },
  upkeep: 'old',
});
