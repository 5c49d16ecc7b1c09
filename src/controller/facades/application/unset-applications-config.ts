import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setApplicationConfig } from '../../transactions/set/set-application-config.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function unsetApplicationsConfig(
  call: Call,
  params: ParamsOf<typeof spec, 'UnsetApplicationsConfig'>,
): Promise<ResultOf<typeof spec, 'UnsetApplicationsConfig'>> {
  return {
    results: await bulk(call, params.Args, async ({ application, options }) => {
      const reset = options.filter((option) => option !== 'trust');
      const trust = options.includes('trust') ? { trust: false } : {};
      await changeModel(call, (tx) => setApplicationConfig(tx, { application, set: {}, reset, ...trust }));
      return {};
    }),
  };
}
