import { makeBase } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { updateBase } from '../../transactions/set/change-base.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

/** Sets the base of units to come, by the channel of Ubuntu's. */
export async function updateApplicationBase(
  call: Call,
  params: ParamsOf<typeof spec, 'UpdateApplicationBase'>,
): Promise<ResultOf<typeof spec, 'UpdateApplicationBase'>> {
  const results = await bulk(call, params.args, async ({ tag: { tag }, force, channel }) => {
    const application = parseTagOf('application', tag);
    if (channel === '') throw new JujuError('bad request', 'base missing from args');
    await changeModel(call, (tx) =>
      updateBase(tx, { application, base: makeBase('ubuntu', channel), force }),
    );
    return {};
  });
  return { results };
}
