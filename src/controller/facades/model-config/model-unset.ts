import { JujuError } from '../../../core/errors.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelConfig } from '../shared/change-model-config.ts';

/** Settings that are not reset: keys that log in (logging-in.md#model-keys), and what never changes. */
const notCleared: readonly string[] = ['authorized-keys', 'agent-version', 'charmhub-url'];

/** Resets settings. Errors: '' for those that are not reset. */
export async function modelUnset(
  call: Call,
  { keys }: ParamsOf<typeof spec, 'ModelUnset'>,
): Promise<ResultOf<typeof spec, 'ModelUnset'>> {
  const kept = keys.find((key) => notCleared.includes(key));
  if (kept !== undefined) throw new JujuError('', `cannot clear ${kept}`);
  return changeModelConfig(call, { set: {}, reset: keys });
}
