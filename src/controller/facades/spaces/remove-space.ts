import type { SpaceUses } from '../../../core/network/space-uses.ts';
import { defined } from '../../../core/defined.ts';
import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { applicationTag, modelTag, parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removableSpace, removeSpace as transaction } from '../../transactions/end/remove-space.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { finishRename, followSpace } from '../shared/changed-space.ts';

/** Removes spaces. A result that names uses says that the space stays; a dry run names uses and removes nothing. */
export async function removeSpace(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoveSpace'>,
): Promise<ResultOf<typeof spec, 'RemoveSpace'>> {
  return {
    results: await bulk(call, params['space-param'], async ({ space, force = false, 'dry-run': isDry }) => {
      const name = parseTagOf('space', space.tag);
      if (isDry) return describeUses(call, removableSpace(call.read(), name));
      if (force) await finishRename(call, name);
      const uses = await changeModel(call, (tx) => transaction(tx, { name, force }));
      if (!force) return describeUses(call, uses);
      await followSpace(call, { from: name });
      return {};
    }),
  };
}

function describeUses(call: Call, { constraints, modelConstraint, bindings }: SpaceUses) {
  const constrained = [
    ...constraints.map(applicationTag),
    ...(modelConstraint ? [modelTag(call.modelUuid)] : []),
  ];
  const entities = (tags: readonly string[]) => (tags.length > 0 ? tags.map((tag) => ({ tag })) : undefined);
  return defined({ constraints: entities(constrained), bindings: entities(bindings.map(applicationTag)) });
}
