import type { ModelDoc } from '../../../core/model/document.ts';
import { JujuError } from '../../../core/errors.ts';
import type { ModelSettings } from '../../../core/model/config-schema.ts';
import { mergedModelConfig } from '../../../core/model/config.ts';
import type { Call } from '../../facade.ts';

/** The connection's model; on a controller connection the controller's own. Errors: `model not found`. */
export function currentModel(call: Call): ModelDoc {
  const controller = call.read().in('');
  const uuid = call.modelUuid || (controller.get('controller', 'self')?.modelUuid ?? '');
  const model = controller.get('model', uuid);
  if (!model) throw new JujuError('model not found', `unknown model: "${uuid}"`);
  return model;
}

/** Effective setting of the connection's model: its own value, else the default. */
export function modelSetting<K extends keyof ModelSettings>(call: Call, key: K): ModelSettings[K] {
  return mergedModelConfig(currentModel(call).config)[key];
}
