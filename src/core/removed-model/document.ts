import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { ModelDoc } from '../model/document.ts';

/**
 * A removed model for which the cloud may still carry out a call of a controller that was killed: what it takes to look
 * for it once more (storage.md#late-calls-for-removed-models). Controller space; id = uuid.
 */
export interface RemovedModelDoc extends Pick<
  ModelDoc,
  'uuid' | 'name' | 'cloud' | 'region' | 'credential' | 'config'
> {
  /** RFC 3339: when the model was removed. */
  readonly since: string;
}

export const removedModel = defineKind<RemovedModelDoc>()({
  space: 'controller',
  idOf: ({ uuid }) => uuid,
  indexes: { controller: () => 'self' },
  findRemovedBy: ['controller'],
  quota: {
    name: ({ name }) => `removed model ${name}`,
    measures: [{ limit: limits.modelConfig, members: ['config'] }],
  },
  upkeep: 'new',
  describe: (before, after) => {
    const { name } = (after ?? before)!;
    const what = after
      ? 'is removed; the cloud is looked at again, for late calls of an earlier controller'
      : 'is not looked for in the cloud any more';
    return [{ subject: `model ${name}`, what, detail: '', about: [] }];
  },
});
