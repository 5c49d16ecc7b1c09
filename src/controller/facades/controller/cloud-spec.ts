import { mergedModelConfig } from '../../../core/model/config.ts';
import type { controller as spec } from '../../../wire/facades/controller.ts';
import { userTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { openConfig } from '../../secrets.ts';
import { bulk } from '../shared/bulk.ts';
import { cloudSpecOf } from '../shared/cloud-spec.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { builtIn, providerConfig } from '../shared/model-config.ts';

/** Returns the clouds of models with their credentials, for clients that remove what is in them. */
export async function cloudSpec(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'CloudSpec'>,
): Promise<ResultOf<typeof spec, 'CloudSpec'>> {
  return {
    results: await bulk(call, entities, ({ tag }) => ({
      result: cloudSpecOf(call, modelOfTag(call, tag, 'admin')),
    })),
  };
}

/** Returns the configuration and the cloud of every model but the controller's own. */
export async function hostedModelConfigs(call: Call): Promise<ResultOf<typeof spec, 'HostedModelConfigs'>> {
  const root = call.read().in('');
  const own = root.get('controller', 'self')?.modelUuid;
  const models = [...root.list('model')].filter(({ uuid }) => uuid !== own);
  const results = await bulk(call, models, (model) => {
    const provider = call.services.providers.get(root.get('cloud', model.cloud)?.type ?? '');
    const config = mergedModelConfig(
      { ...openConfig(call.services.sealer, provider?.config ?? {}, model.config), ...builtIn(call, model) },
      providerConfig(call, model),
    );
    return { config, 'cloud-spec': cloudSpecOf(call, model) };
  });
  return {
    models: models.map(({ name, owner }, n) => ({ name, owner: userTag(owner), ...results[n]! })),
  };
}
