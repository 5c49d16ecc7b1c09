import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { refreshApplication } from '../../transactions/refresh-application.ts';
import { mustGet } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { withDeploys } from './drop-refused-charms.ts';
import { readSettings } from './read-settings.ts';
import { defined } from '../../../core/defined.ts';

type Params = ParamsOf<typeof spec, 'SetCharm'>;

export async function setCharm(call: Call, params: Params): Promise<ResultOf<typeof spec, 'SetCharm'>> {
  const { application: name, 'charm-url': charmUrl } = params;
  refuseUnsupported(params);
  const { config, trust } = readSettings(
    name,
    params['config-settings'] ?? {},
    params['config-settings-yaml'] ?? '',
  );
  return withDeploys(call, [charmUrl], () =>
    changeModel(call, (tx) => {
      const { settled } = refreshApplication(tx, {
        application: name,
        charmUrl,
        charmOrigin: originOf(params, mustGet(tx, 'application', name)),
        config,
        ...defined({ trust }),
        endpointBindings: params['endpoint-bindings'] ?? {},
        force: params.force,
        forceBase: params['force-base'],
        forceUnits: params['force-units'],
        resources: params['resource-ids'] ?? {},
      });
      return requirementsChange(tx, [name], settled);
    }),
  );
}

/** The origin as it is stored: clients leave out defaults, and the application's base does not change. */
function originOf(
  { 'charm-origin': origin }: Params,
  { base, charmOrigin }: { readonly base: unknown; readonly charmOrigin: Readonly<Record<string, unknown>> },
): Record<string, unknown> {
  const { architecture = charmOrigin['architecture'] } = origin ?? {};
  return {
    ...origin,
    source: origin?.source || 'local',
    type: origin?.type || 'charm',
    id: origin?.id ?? '',
    base,
    ...defined({ architecture }),
  };
}

function refuseUnsupported(params: Params): void {
  const unsupported = { storage: params['storage-constraints'] };
  for (const [option, value] of Object.entries(unsupported))
    if (value && Object.keys(value).length > 0)
      throw new JujuError('not supported', `refreshing with ${option} is not supported`);
}
