import { JujuError } from '../../../core/errors.ts';
import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';

/**
 * Says whether applications may get charms, by what the charms' URLs tell: a local charm is judged when it is set. A
 * charm of a store is refused.
 */
export async function checkCharmPlacement(
  call: Call,
  params: ParamsOf<typeof spec, 'CheckCharmPlacement'>,
): Promise<ResultOf<typeof spec, 'CheckCharmPlacement'>> {
  const results = await bulk(call, params.placements, ({ application, 'charm-url': url }) => {
    mustGet(call.read(), 'application', application);
    if (!url.startsWith('local:'))
      throw new JujuError('not supported', `charm "${url}": Charmhub is not supported by this controller`);
    return {};
  });
  return { results };
}
