import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { renameSpace as transaction } from '../../transactions/set/rename-space.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { finishRename, followSpace } from '../shared/changed-space.ts';

export async function renameSpace(
  call: Call,
  params: ParamsOf<typeof spec, 'RenameSpace'>,
): Promise<ResultOf<typeof spec, 'RenameSpace'>> {
  return {
    results: await bulk(call, params.changes, async (change) => {
      const from = parseTagOf('space', change['from-space-tag']);
      const to = parseTagOf('space', change['to-space-tag']);
      await finishRename(call, from);
      await changeModel(call, (tx) => transaction(tx, { from, to }));
      await followSpace(call, { from, to });
      return {};
    }),
  };
}
