import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyApplication as transaction } from '../../transactions/destroy-application.ts';
import { parseTagOf, unitTag } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, tryInModel } from '../shared/change-model.ts';
import { forceRequest } from '../shared/force.ts';

export async function destroyApplication(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyApplication'>,
): Promise<ResultOf<typeof spec, 'DestroyApplication'>> {
  return {
    results: await bulk(call, params.applications, async (args) => {
      const application = parseTagOf('application', args['application-tag']);
      const run = args['dry-run'] ? tryInModel : changeModel;
      const { units } = await run(call, (tx) =>
        transaction(tx, { application, ...forceRequest(call, args) }),
      );
      return {
        info: units.length > 0 ? { 'destroyed-units': units.map((unit) => ({ tag: unitTag(unit) })) } : {},
      };
    }),
  };
}
