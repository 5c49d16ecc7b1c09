import type { ConfigSchema } from '../../../core/model/config-schema.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../../core/model/config.ts';
import { requireMode } from '../../../core/requirements/requirement.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { settleRequirements } from '../requirements.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * model-config, in the controller's space: sets keys and puts others back to their defaults: those that a new model would have. Unknown keys are kept.
 * What `builtIn` says of the model may be given again, never otherwise. With another
 * `require-endpoints` all that is in the model is settled. Errors: `not found`, `not valid`.
 */
export function setModelConfig(
  tx: Tx,
  args: {
    uuid: string;
    set: Readonly<Record<string, unknown>>;
    reset: readonly string[];
    /** What a new model of the same cloud and region would take. */
    inherited: Readonly<Record<string, unknown>>;
    builtIn: Readonly<Record<string, string>>;
    provider: ConfigSchema;
    /** What the provider makes of all that the model has, after and before: throws `not valid`. */
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
  const upgraded = args.upgrade(config, model.config);
  tx.put('model', model.uuid, { ...model, config: upgraded });
  const space = tx.in(model.uuid);
  const isSame = requireMode(upgraded) === requireMode(model.config);
  return settleRequirements(space, isSame ? [] : [...space.list('application')].map(({ name }) => name));
}
