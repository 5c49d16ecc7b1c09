import { JujuError } from '../../../core/errors.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelConfig } from '../shared/change-model-config.ts';
import { isSuperuser } from '../shared/model-access.ts';

/** Sets settings. Errors: `unauthorized access` (TRACE); '' for keys that log in (logging-in.md#model-keys). */
export async function modelSet(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelSet'>,
): Promise<ResultOf<typeof spec, 'ModelSet'>> {
  const { config } = params;
  if (Object.hasOwn(config, 'authorized-keys')) throw new JujuError('', 'authorized-keys cannot be set');
  const levels = config['logging-config'];
  if (typeof levels === 'string' && /=\s*TRACE/i.test(levels) && !isSuperuser(call))
    throw new JujuError(
      'unauthorized access',
      "only controller admins can set a model's logging level to TRACE",
    );
  return changeModelConfig(call, { set: config, reset: [] });
}
