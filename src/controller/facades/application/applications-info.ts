import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { endpointBindings } from '../shared/endpoint-bindings.ts';
import { bulk } from '../shared/bulk.ts';
import { channelOf, charmOriginOf } from '../shared/charm-origin.ts';
import { exposedEndpoints } from '../shared/exposure.ts';
import { applicationOfTag, charmOf } from '../shared/find.ts';
import { pendingOf } from '../shared/pending-application.ts';
import { healthOf } from '../../../core/gates/gate.ts';
import { defined } from '../../../core/defined.ts';

export async function applicationsInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'ApplicationsInfo'>,
): Promise<ResultOf<typeof spec, 'ApplicationsInfo'>> {
  const view = call.read();
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const application = applicationOfTag(view, tag);
      const charm = charmOf(view, application);
      return {
        result: {
          tag,
          charm: charm.meta.name,
          base: application.base,
          channel: channelOf(charmOriginOf(application)),
          constraints: application.constraints,
          principal: !application.subordinate,
          exposed: application.exposed !== undefined,
          remote: false,
          life: application.life,
          'endpoint-bindings': endpointBindings(application, charm),
          ...exposedEndpoints(application),
          ...defined({
            require: application.require,
            after: application.after && healthOf(application.after),
          }),
          ...pendingOf(view, application),
        },
      };
    }),
  };
}
