import type { ProviderConfig } from '../../../providers/provider.ts';
import type { Call } from '../../facade.ts';
import { setModelConfig } from '../../transactions/set-model-config.ts';
import { currentModel } from './model.ts';
import { builtIn, providerConfig } from './model-config.ts';

/**
 * Sets and resets keys of the call's model. Its provider judges what comes of it, as when the model was made: with
 * settings that it does not understand, nothing of the model would work any more. Errors: `not valid`.
 */
export async function changeModelConfig(
  call: Call,
  change: { readonly set: Readonly<Record<string, unknown>>; readonly reset: readonly string[] },
): Promise<void> {
  const model = currentModel(call);
  const cloud = call.read().in('').get('cloud', model.cloud);
  const provider = cloud && call.services.providers.get(cloud.type);
  const whole = (config: ProviderConfig): ProviderConfig => ({
    ...cloud?.config,
    ...Object.fromEntries(Object.entries(config).filter(([key]) => key in (provider?.config ?? {}))),
  });
  const args = {
    uuid: model.uuid,
    ...change,
    builtIn: builtIn(call, model),
    provider: providerConfig(call, model),
    check: (config: ProviderConfig, previous: ProviderConfig) =>
      void provider?.validate(whole(config), whole(previous)),
  };
  await call.store.change((tx) => setModelConfig(tx.in(''), args), call.by);
}
