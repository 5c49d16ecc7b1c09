/** Defaults of new models: returned, set and unset for a cloud or one region of it. */
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { presentNames, withDefaultBase } from '../../../core/model/default-series.ts';
import { parseModelConfig } from '../../../core/model/config.ts';
import { checkHasDefault, defaultsByKey } from '../../../core/model/inherited.ts';
import type { Provider } from '../../../providers/contract/provider.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { sealConfig, withoutSecrets } from '../../secrets.ts';
import { setModelDefaults as transaction } from '../../transactions/set/set-model-defaults.ts';
import { bulk } from '../shared/bulk.ts';
import { providerConfig } from '../shared/model-config.ts';
import { checkModelDefaults } from '../shared/model-defaults.ts';
import { checkRegion } from '../shared/region.ts';

interface DefaultsTarget {
  readonly 'cloud-tag'?: string;
  readonly 'cloud-region'?: string;
}

export async function modelDefaultsForClouds(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'ModelDefaultsForClouds'>,
): Promise<ResultOf<typeof spec, 'ModelDefaultsForClouds'>> {
  const results = await bulk(call, entities, ({ tag }) => {
    const { cloud, provider } = find(call, { 'cloud-tag': tag });
    const open = (config: CloudDoc['config']): CloudDoc['config'] => withoutSecrets(provider.config, config);
    const regionConfig = Object.fromEntries(
      Object.entries(cloud.regionConfig ?? {}).map(([region, config]) => [region, open(config)]),
    );
    const defaults = defaultsByKey(providerConfig(call, { cloud: cloud.name }), {
      config: open(cloud.config),
      regionConfig,
    });
    return {
      config: Object.fromEntries(
        Object.entries(defaults).map(([key, { regions, ...rest }]) => [
          key,
          {
            ...rest,
            ...(regions
              ? { regions: regions.map(({ region, value }) => ({ 'region-name': region, value })) }
              : {}),
          },
        ]),
      ),
    };
  });
  return { results: results.map((one) => ({ config: null, ...one })) };
}

export async function setModelDefaults(
  call: Call,
  params: ParamsOf<typeof spec, 'SetModelDefaults'>,
): Promise<ResultOf<typeof spec, 'SetModelDefaults'>> {
  return {
    results: await bulk(call, params.config, ({ config, ...target }) => change(call, target, config, [])),
  };
}

/** Unsets defaults; keys without a default are ignored. */
export async function unsetModelDefaults(
  call: Call,
  params: ParamsOf<typeof spec, 'UnsetModelDefaults'>,
): Promise<ResultOf<typeof spec, 'UnsetModelDefaults'>> {
  return { results: await bulk(call, params.keys, ({ keys, ...target }) => change(call, target, {}, keys)) };
}

async function change(
  call: Call,
  target: DefaultsTarget,
  given: Readonly<Record<string, unknown>>,
  reset: readonly string[],
): Promise<Record<string, never>> {
  const values = withDefaultBase(given);
  const unset = presentNames(reset);
  const { cloud, region, provider } = find(call, target);
  const { sealer } = call.services;
  checkRestricted(provider, [...Object.keys(values), ...unset]);
  // Keys without a default are refused whatever their values are.
  checkHasDefault(Object.keys(values));
  const schema = providerConfig(call, { cloud: cloud.name });
  const { config: set } = parseModelConfig(sealConfig(sealer, provider.config, values), schema);
  const check = (after: CloudDoc, before?: CloudDoc): void =>
    checkModelDefaults(provider, sealer, after, before);
  await call.store.change(
    (tx) => transaction(tx.in(''), { cloud: cloud.name, region, set, unset, check }),
    call.by,
  );
  return {};
}

/** Finds the cloud; without a name the controller's own is meant. Errors: `not found`, `not valid` (tag). */
function find(
  call: Call,
  target: DefaultsTarget,
): { readonly cloud: CloudDoc; readonly region: string; readonly provider: Provider } {
  const root = call.read().in('');
  const controllerCloud = root.get('controller', 'self')?.cloud ?? '';
  const name = target['cloud-tag'] ? parseTagOf('cloud', target['cloud-tag']) : controllerCloud;
  const cloud = root.get('cloud', name);
  if (!cloud) throw notFound('cloud', name);
  const provider = call.services.providers.get(cloud.type);
  if (!provider) throw new JujuError('not supported', `cloud type "${cloud.type}" not supported`);
  const region = target['cloud-region'] ?? '';
  if (region) checkRegion(cloud, region);
  return { cloud, region, provider };
}

function checkRestricted(provider: Provider, keys: readonly string[]): void {
  const restrictedKey = keys.find(
    (key) => Object.hasOwn(provider.config, key) && provider.config[key]!.restricted,
  );
  if (restrictedKey !== undefined)
    throw new JujuError(
      'not valid',
      `${restrictedKey} is the same in all models of a controller: set it at bootstrap or in the configuration of the cloud`,
    );
}
