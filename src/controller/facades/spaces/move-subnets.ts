import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { parseTagOf, spaceTag, subnetTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { moveSubnets as transaction } from '../../transactions/set/move-subnets.ts';
import { itemError } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings } from '../shared/constraints.ts';

export async function moveSubnets(
  call: Call,
  params: ParamsOf<typeof spec, 'MoveSubnets'>,
): Promise<ResultOf<typeof spec, 'MoveSubnets'>> {
  const results: ResultOf<typeof spec, 'MoveSubnets'>['results'][number][] = [];
  for (const { subnets: tags, 'space-tag': tag, force } of params.args) {
    try {
      const space = parseTagOf('space', tag);
      const subnets = tags.map((subnet) => parseTagOf('subnet', subnet));
      const { moved, warnings } = await changeModel(call, (tx) => transaction(tx, { subnets, space, force }));
      logWarnings(call, `move-to-space ${space}`, warnings);
      results.push({
        'new-space': tag,
        'moved-subnets': moved.map((subnet) => ({
          subnet: subnetTag(subnet.id),
          'old-space': spaceTag(subnet.space),
          cidr: subnet.cidr,
        })),
      });
    } catch (error) {
      results.push({ 'new-space': '', error: itemError(call, error) });
    }
  }
  return { results };
}
