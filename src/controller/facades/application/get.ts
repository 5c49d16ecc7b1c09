import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { channelOf, charmOriginOf } from '../shared/charm-origin.ts';
import { endpointBindings } from '../shared/endpoint-bindings.ts';
import { charmOf } from '../shared/find.ts';
import { describeSettings, describeTrust } from '../shared/settings.ts';

export function get(call: Call, params: ParamsOf<typeof spec, 'Get'>): ResultOf<typeof spec, 'Get'> {
  const view = call.read();
  const application = mustGet(view, 'application', params.application);
  const charm = charmOf(view, application);
  return {
    application: application.name,
    charm: charm.meta.name,
    config: describeSettings(application, charm),
    'application-config': { trust: describeTrust(application) },
    constraints: application.constraints,
    base: application.base,
    channel: channelOf(charmOriginOf(application)),
    'endpoint-bindings': endpointBindings(application, charm),
  };
}
