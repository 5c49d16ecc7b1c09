import { notFound } from '../../../core/errors.ts';
import { parseModelConfig } from '../../../core/model/config.ts';
import { presentNames, withDefaultBase } from '../../../core/model/default-series.ts';
import { takenByNewModels } from '../../../core/model/inherited.ts';
import { checkSshAllow } from '../../../core/network/ssh-allow.ts';
import type { ProviderConfig } from '../../../providers/contract/provider.ts';
import type { RequirementsChange } from '../../../wire/facades/requirements.ts';
import type { Call } from '../../facade.ts';
import { sealConfig } from '../../secrets.ts';
import { setModelConfig } from '../../transactions/set/set-model-config.ts';
import { currentModel } from './model.ts';
import { builtIn, checkFirstBoot, providerConfig } from './model-config.ts';
import { requirementsChange } from './requirements-change.ts';
import { providerSettings } from './provider-settings.ts';

/**
 * Sets and resets keys of the call's model. Its provider checks the result, as at the model's creation: with settings
 * that the provider does not understand, nothing of the model would work any more. Returns the effects on requirements.
 * Errors: `not valid`.
 */
export async function changeModelConfig(
  call: Call,
  given: { readonly set: Readonly<Record<string, unknown>>; readonly reset: readonly string[] },
): Promise<{ requirements?: RequirementsChange }> {
  const change = { set: withDefaultBase(given.set), reset: presentNames(given.reset) };
  const model = currentModel(call);
  const cloud = call.read().in('').get('cloud', model.cloud);
  const provider = cloud && call.services.providers.get(cloud.type);
  if (!provider) throw notFound('cloud', model.cloud);
  const settings = providerSettings(call, provider, cloud, model.region);
  checkFirstBoot(change.set);
  settings.checkRestricted(change.set);
  if (Object.hasOwn(change.set, 'ssh-allow')) {
    const { firewall } = call.services.environ(model.uuid, call.read());
    checkSshAllow(change.set['ssh-allow'], firewall.mode !== 'none');
  }
  const args = {
    uuid: model.uuid,
    set: sealConfig(call.services.sealer, provider.config, change.set),
    reset: change.reset,
    inherited: parseModelConfig(takenByNewModels(cloud, model.region, provider.config)).config,
    builtIn: builtIn(call, model),
    provider: providerConfig(call, model),
    upgrade: (config: ProviderConfig, previous: ProviderConfig): ProviderConfig => {
      const upgraded = provider.validate(settings.whole(config), settings.whole(previous));
      const providerValues = Object.fromEntries(
        Object.entries(config).filter(([key]) => Object.hasOwn(provider.config, key)),
      );
      const otherValues = Object.entries(config).filter(([key]) => !Object.hasOwn(provider.config, key));
      return { ...Object.fromEntries(otherValues), ...settings.kept(providerValues, upgraded) };
    },
  };
  return call.store.change((tx) => {
    const settled = setModelConfig(tx.in(''), args);
    return requirementsChange(tx.in(model.uuid), [], settled);
  }, call.by);
}
