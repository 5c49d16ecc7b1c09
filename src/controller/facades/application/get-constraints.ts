import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { applicationOfTag } from '../shared/find.ts';

export async function getConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'GetConstraints'>,
): Promise<ResultOf<typeof spec, 'GetConstraints'>> {
  const view = call.read();
  const results = await bulk(call, params.entities, ({ tag }) => {
    const application = applicationOfTag(view, tag);
    if (application.subordinate)
      throw new JujuError('', 'constraints do not apply to subordinate applications');
    return { constraints: application.constraints };
  });
  return { results: results.map((result) => ('error' in result ? { constraints: {}, ...result } : result)) };
}
