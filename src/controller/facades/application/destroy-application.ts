import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyApplication as transaction } from '../../transactions/end/destroy-application.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, rehearse } from '../shared/change-model.ts';
import { destroyedWith, warned } from '../shared/destroyed.ts';
import { forceRequest } from '../shared/force.ts';
import { requirementsChange } from '../shared/requirements-change.ts';

export async function destroyApplication(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyApplication'>,
): Promise<ResultOf<typeof spec, 'DestroyApplication'>> {
  return {
    results: await bulk(call, params.applications, async (args) => {
      const application = parseTagOf('application', args['application-tag']);
      const destroyStorage = args['destroy-storage'] ?? false;
      const view = call.read();
      const info = await destroyedWith(view, view.find('unit', 'application', application), {
        destroyStorage,
      });
      const run = args['dry-run'] ? rehearse : changeModel;
      const outcome = await run(call, (tx) => {
        const { settled, ...done } = transaction(tx, {
          application,
          ...forceRequest(call, args),
          destroyStorage,
        });
        return { ...warned(done), ...requirementsChange(tx, [], settled) };
      });
      return { info, ...outcome };
    }),
  };
}
