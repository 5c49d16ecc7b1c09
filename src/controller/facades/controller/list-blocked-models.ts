import type { controller as spec } from '../../../wire/facades/controller.ts';
import { userTag } from '../../../wire/tags.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { blockedModels } from '../../transactions/shared/blocks.ts';

export function listBlockedModels(call: Call): ResultOf<typeof spec, 'ListBlockedModels'> {
  return {
    models: blockedModels(call.read()).map(({ model: { name, uuid, owner }, blocks }) => ({
      name,
      'model-uuid': uuid,
      'owner-tag': userTag(owner),
      blocks: blocks.map(({ type }) => type),
    })),
  };
}
