import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { createSpace } from '../../transactions/begin/create-space.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function createSpaces(
  call: Call,
  params: ParamsOf<typeof spec, 'CreateSpaces'>,
): Promise<ResultOf<typeof spec, 'CreateSpaces'>> {
  return {
    results: await bulk(call, params.spaces, async ({ 'space-tag': tag, cidrs }) => {
      const name = parseTagOf('space', tag);
      await changeModel(call, (tx) => createSpace(tx, { name, cidrs }));
      return {};
    }),
  };
}
