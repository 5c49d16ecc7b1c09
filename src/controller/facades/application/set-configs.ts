import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setApplicationConfig } from '../../transactions/set/set-application-config.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { readSettings } from './read-settings.ts';
import { defined } from '../../../core/defined.ts';

export async function setConfigs(
  call: Call,
  params: ParamsOf<typeof spec, 'SetConfigs'>,
): Promise<ResultOf<typeof spec, 'SetConfigs'>> {
  return {
    results: await bulk(call, params.Args, async (args) => {
      const { application } = args;
      const { config, trust } = readSettings(application, args.config, args['config-yaml']);
      await changeModel(call, (tx) =>
        setApplicationConfig(tx, {
          application,
          set: config,
          reset: [],
          ...defined({ trust }),
        }),
      );
      return {};
    }),
  };
}
