import type { ConfigSchema } from '../../../core/model/config-schema.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../../core/model/config.ts';
import { requireMode } from '../../../core/requirements/requirement.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { settleRequirements } from '../shared/requirements.ts';
import { checkBackendName } from '../shared/secret-backends.ts';
import { checkSpace } from '../shared/spaces.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * model-config, in the controller's space: sets keys and resets others to the defaults of a new model. Unknown keys are
 * kept. Keys of `builtIn` may be given only with their present values. A change of `require-endpoints` evaluates all
 * requirements of the model again.
 * Errors: `not found` (model, default-space, secret-backend), `not valid`.
 */
export function setModelConfig(
  tx: Tx,
  args: {
    uuid: string;
    set: Readonly<Record<string, unknown>>;
    reset: readonly string[];
    /** Configuration that a new model of the same cloud and region would inherit. */
    inherited: Readonly<Record<string, unknown>>;
    builtIn: Readonly<Record<string, string>>;
    provider: ConfigSchema;
    /** Provider's check and upgrade of the whole configuration, after and before the change: throws `not valid`. */
    upgrade: (
      config: Readonly<Record<string, unknown>>,
      previous: Readonly<Record<string, unknown>>,
    ) => Readonly<Record<string, unknown>>;
  },
): Settled {
  const { builtIn, provider } = args;
  const model = mustGet(tx, 'model', args.uuid);
  const config: Record<string, unknown> = { ...model.config, ...parseModelConfig(args.set, provider).config };
  for (const key of args.reset)
    if (Object.hasOwn(args.inherited, key)) config[key] = args.inherited[key];
    else delete config[key];
  const before = mergedModelConfig({ ...model.config, ...builtIn }, provider);
  checkModelConfigChange(before, mergedModelConfig({ ...builtIn, ...config }, provider), provider);
  for (const key of Object.keys(builtIn)) delete config[key];
  const space = tx.in(model.uuid);
  const defaultSpace = config['default-space'];
  if (
    defaultSpace !== model.config['default-space'] &&
    typeof defaultSpace === 'string' &&
    defaultSpace !== ''
  )
    checkSpace(space, defaultSpace);
  if (config['secret-backend'] !== model.config['secret-backend'])
    checkBackendName(tx, config['secret-backend']);
  const upgraded = args.upgrade(config, model.config);
  tx.put('model', model.uuid, { ...model, config: upgraded });
  const isSame = requireMode(upgraded) === requireMode(model.config);
  return settleRequirements(space, isSame ? [] : [...space.list('application')].map(({ name }) => name));
}
