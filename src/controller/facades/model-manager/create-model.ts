import type { CloudDoc } from '../../../core/entities.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../../core/model/config.ts';
import type { ProviderConfig } from '../../../providers/provider.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { createModel as transaction } from '../../transactions/create-model.ts';
import { providerConfig } from '../shared/model-config.ts';
import { describeModel } from './describe-model.ts';

type Params = ParamsOf<typeof spec, 'CreateModel'>;

export async function createModel(call: Call, params: Params): Promise<ResultOf<typeof spec, 'CreateModel'>> {
  const root = call.read().in('');
  const controller = root.get('controller', 'self');
  if (!controller) throw new JujuError('not found', 'controller not found');
  if (root.get('model', controller.modelUuid)?.life !== 'alive')
    throw new JujuError('', 'cannot create model: controller is being destroyed');
  const owner = parseTagOf('user', params['owner-tag']);
  if (!root.get('user', owner)) throw new JujuError('user not found', `user "${owner}" not found`);
  const name = params['cloud-tag'] ? parseTagOf('cloud', params['cloud-tag']) : controller.cloud;
  const cloud = root.get('cloud', name);
  if (!cloud) throw notFound('cloud', name);
  const args = {
    name: params.name,
    owner,
    cloud: name,
    region: regionOf(params, cloud, controller),
    credential: credentialOf(call, params, cloud, owner),
    config: await configOf(call, params.config ?? {}, cloud),
  };
  const model = await call.store.change((tx) => transaction(tx.in(''), args), call.by);
  return describeModel(call, model);
}

/** The one asked for; else the controller's in its own cloud; else the cloud's first. */
function regionOf(params: Params, cloud: CloudDoc, controller: { cloud: string; region: string }): string {
  const known = cloud.regions.map((region) => region.name);
  if (params.region) {
    if (known.length > 0 && !known.includes(params.region))
      throw new JujuError(
        'not found',
        `region "${params.region}" in cloud "${cloud.name}" not found (expected one of ${known.join(', ')})`,
      );
    return params.region;
  }
  return cloud.name === controller.cloud ? controller.region : (known[0] ?? '');
}

/** The one asked for; else the owner's only one; else none, where the cloud allows that. */
function credentialOf(call: Call, params: Params, cloud: CloudDoc, owner: string): string {
  const root = call.read().in('');
  if (params.credential) {
    const id = parseTagOf('cloudcred', params.credential).replaceAll('/', '_');
    if (!root.get('credential', id)) throw notFound('credential', id);
    return id;
  }
  const own = [...root.list('credential')].filter((one) => one.cloud === cloud.name && one.owner === owner);
  const [only] = own;
  if (own.length === 1 && only) return `${only.cloud}_${only.owner}_${only.name}`;
  if (cloud.authTypes.length === 0 || cloud.authTypes.includes('empty')) return '';
  throw new JujuError('no credentials provided', `no credential specified for cloud "${cloud.name}"`);
}

/** Checked by the core, then by the provider, which may add what a model needs. */
async function configOf(
  call: Call,
  given: Readonly<Record<string, unknown>>,
  cloud: CloudDoc,
): Promise<Record<string, unknown>> {
  const schema = providerConfig(call, { cloud: cloud.name });
  const { name: _name, uuid: _uuid, type: _type, 'agent-version': _version, ...settings } = given;
  const { config } = parseModelConfig(settings, schema);
  const merged = mergedModelConfig(config, schema);
  checkModelConfigChange({}, merged, schema);
  const provider = call.services.providers.get(cloud.type);
  if (!provider) throw new JujuError('not supported', `cloud type "${cloud.type}" not supported`);
  const own = Object.fromEntries(
    Object.entries(config).filter(([key]) => Object.hasOwn(provider.config, key)),
  );
  const inherited: ProviderConfig = provider.validate(cloud.config);
  const whole = await provider.prepareForModel(provider.validate({ ...cloud.config, ...own }));
  // What the cloud says, or nobody, stays the cloud's to say.
  const added = Object.entries(whole).filter(([key, value]) => key in own || value !== inherited[key]);
  return { ...config, ...Object.fromEntries(added) };
}
