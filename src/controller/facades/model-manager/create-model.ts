import { credentialId } from '../../../core/credential/document.ts';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { withDefaultBase } from '../../../core/model/default-series.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../../core/model/config.ts';
import { takenByNewModels } from '../../../core/model/inherited.ts';
import { isExternal } from '../../../core/user/document.ts';
import type { ProviderConfig } from '../../../providers/contract/provider.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { sealConfig } from '../../secrets.ts';
import { createModel as transaction } from '../../transactions/begin/create-model.ts';
import { mustGetUser } from '../../transactions/set/set-user.ts';

import { credentialsOf, mustFindCredential } from '../cloud/credential-of-tag.ts';
import { loadSubnetsOfNewModel } from '../shared/cloud-subnets.ts';
import { checkFirstBoot, providerConfig } from '../shared/model-config.ts';
import { checkFirewall, providerSettings } from '../shared/provider-settings.ts';
import { checkRegion } from '../shared/region.ts';
import { mayAddModelsOn, userOfTag } from '../shared/model-access.ts';
import { defined } from '../../../core/defined.ts';
import { describeModel } from './describe-model.ts';

type Params = ParamsOf<typeof spec, 'CreateModel'>;

export async function createModel(call: Call, params: Params): Promise<ResultOf<typeof spec, 'CreateModel'>> {
  const root = call.read().in('');
  const controller = root.get('controller', 'self');
  if (!controller) throw new JujuError('not found', 'controller not found');
  if (root.get('model', controller.modelUuid)?.life !== 'alive')
    throw new JujuError('', 'cannot create model: controller is being destroyed');
  const user = userOfTag(call, params['owner-tag']);
  const owner = isExternal(user) ? user : mustGetUser(root, user).name;
  const name = params['cloud-tag'] ? parseTagOf('cloud', params['cloud-tag']) : controller.cloud;
  const cloud = root.get('cloud', name);
  if (!cloud || !mayAddModelsOn(call, name)) throw notFound('cloud', name);
  if (!call.services.providers.has(cloud.type))
    throw new JujuError(
      'not supported',
      `cloud type "${cloud.type}" not supported: this controller keeps cloud "${name}", and cannot make models on it`,
    );
  const region = regionOf(params, cloud, controller);
  const { agentBuild, version } = call.services;
  const args = {
    name: params.name,
    owner,
    cloud: name,
    region,
    credential: credentialOf(call, params, cloud, owner),
    config: await configOf(call, params.config ?? {}, cloud, region),
    ...defined({ program: agentBuild === undefined ? undefined : { build: agentBuild, version } }),
  };
  const model = await call.store.change((tx) => {
    userOfTag(call, params['owner-tag'], tx);
    if (!mayAddModelsOn(call, name, tx)) throw notFound('cloud', name);
    return transaction(tx.in(''), args);
  }, call.by);
  await loadSubnetsOfNewModel(call, model.uuid);
  return describeModel(call, model);
}

/** Region of the model: the one asked for; else the controller's in its own cloud; else the cloud's first. */
function regionOf(params: Params, cloud: CloudDoc, controller: { cloud: string; region: string }): string {
  if (params.region) {
    checkRegion(cloud, params.region);
    return params.region;
  }
  return cloud.name === controller.cloud ? controller.region : (cloud.regions[0]?.name ?? '');
}

/** Credential of the model: the one asked for; else the owner's only one; else none, where the cloud allows that. */
function credentialOf(call: Call, params: Params, cloud: CloudDoc, owner: string): string {
  if (params.credential) {
    const found = mustFindCredential(call, params.credential);
    const { name, cloud: cloudName } = found;
    if (cloudName !== cloud.name)
      throw new JujuError(
        'not valid',
        `credential "${name}" is for cloud "${cloudName}", not "${cloud.name}"`,
      );
    if (found.revoked) throw new JujuError('not valid', `credential "${name}" is revoked`);
    return credentialId(found);
  }
  const candidates = credentialsOf(call, owner).filter((one) => one.cloud === cloud.name && !one.revoked);
  const [candidate] = candidates;
  if (candidates.length === 1 && candidate) return credentialId(candidate);
  if (cloud.authTypes.length === 0 || cloud.authTypes.includes('empty')) return '';
  throw new JujuError('no credentials provided', `no credential specified for cloud "${cloud.name}"`);
}

/** Configuration of the model, checked by the core, then by the provider, which may add what a model needs. */
async function configOf(
  call: Call,
  requested: Readonly<Record<string, unknown>>,
  cloud: CloudDoc,
  region: string,
): Promise<ProviderConfig> {
  const provider = call.services.providers.get(cloud.type);
  if (!provider) throw new JujuError('not supported', `cloud type "${cloud.type}" not supported`);
  const schema = providerConfig(call, { cloud: cloud.name });
  const { name: _name, uuid: _uuid, type: _type, 'agent-version': _version, ...given } = requested;
  const ownConfig = withDefaultBase(given);
  const settings = { ...takenByNewModels(cloud, region, provider.config), ...ownConfig };
  const { config } = parseModelConfig(sealConfig(call.services.sealer, provider.config, settings), schema);
  checkModelConfigChange({}, mergedModelConfig(config, schema), schema);
  checkFirstBoot(config);
  checkFirewall(provider, cloud, config);
  const providers = providerSettings(call, provider, cloud, region);
  providers.checkRestricted(ownConfig);
  const ownSettings = {
    ...providers.restricted(),
    ...Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(provider.config, key))),
  };
  const effective = await provider.prepareForModel(provider.validate(providers.whole(ownSettings)));
  const otherValues = Object.entries(config).filter(([key]) => !Object.hasOwn(provider.config, key));
  return { ...Object.fromEntries(otherValues), ...providers.kept(ownSettings, effective) };
}
