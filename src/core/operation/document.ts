import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';

/** An operation, which groups tasks. Model space; id = number as text. */
export interface OperationDoc {
  readonly id: string;
  readonly summary: string;
  readonly enqueued: string;
  readonly tasks: readonly string[];
  /** The reason why some receivers got no task; absent = all did. */
  readonly fail?: string;
}

export const operation = defineKind<OperationDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  quota: { measures: [{ limit: limits.operationTasks, members: ['tasks'] }] },
  upkeep: 'old',
});
