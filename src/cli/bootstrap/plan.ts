/** Plan of `bootstrap`, read and checked before anything is made. */
import { defaultBase, parseBase, type Base } from '../../core/base.ts';
import { defined } from '../../core/defined.ts';
import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { isControllerSetting, readFirstSettings } from '../../core/controller/config.ts';
import { JujuError } from '../../core/errors.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../core/model/config.ts';
import { withDefaultBase } from '../../core/model/default-series.ts';
import { checkSshAllow } from '../../core/network/ssh-allow.ts';
import { parsePlacement } from '../../core/placement.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import type { FirstMachineWishes } from '../../providers/contract/plan-first-machine.ts';
import { baseOfFlags } from '../base-flags.ts';
import type { ChosenCloud } from '../clouds/cloud.ts';
import { readConstraints } from '../constraints.ts';
import type { CommandContext } from '../context.ts';
import { keysOfNewModel } from '../files/ssh-key.ts';
import { readKeyValues, readScalar } from '../key-values.ts';

/** Settings of the command itself: timeouts in seconds, with Juju's names and defaults. */
const timeKeys = { 'bootstrap-timeout': 1200, 'bootstrap-retry-delay': 5, 'bootstrap-addresses-delay': 10 };

/** Flags as they were given on the command line; '' means that a flag was not given. */
interface BootstrapFlags {
  readonly addModel: string;
  readonly config: readonly string[];
  readonly modelDefault: readonly string[];
  readonly constraints: readonly string[];
  readonly bootstrapConstraints: readonly string[];
  readonly bootstrapBase: string;
  readonly bootstrapSeries: string;
  readonly dataDir: string;
  readonly keepBroken: boolean;
  readonly noSwitch: boolean;
  readonly to: string;
}

export interface BootstrapPlan {
  readonly name: string;
  readonly chosen: ChosenCloud;
  /** Name as in `localhost/localhost`, or only the cloud when it has no regions. */
  readonly place: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Configuration of the model `controller` and of the model from --add-model. */
  readonly modelConfig: Readonly<Record<string, unknown>>;
  /** Default configuration of every model on the controller's cloud; modelConfig includes it. */
  readonly modelDefaults: Readonly<Record<string, unknown>>;
  readonly requested: FirstMachineWishes;
  readonly modelConstraints: Constraints;
  /** Base of machine 0, if the machine is made for the controller. */
  readonly base: Base;
  /** Timeouts in milliseconds. */
  readonly timeouts: {
    readonly untilConnected: number;
    readonly betweenTries: number;
    readonly betweenLooks: number;
  };
  readonly flags: BootstrapFlags;
}

/** Reads and checks the arguments of `bootstrap`. Errors: `not valid`, with Juju's wording; UsageError. */
export async function planBootstrap(
  context: CommandContext,
  name: string,
  chosen: ChosenCloud,
  flags: BootstrapFlags,
): Promise<BootstrapPlan> {
  const { to } = flags;
  if (to !== '' && parsePlacement(to, providersOwn).scope !== providersOwn)
    throw new JujuError('not valid', `unsupported bootstrap placement directive "${to}"`);
  const modelConstraints = readConstraints(flags.constraints);
  const bootstrapConstraints = formatConstraints(readConstraints(flags.bootstrapConstraints));
  const settings = await readKeyValues(context, flags.config);
  const settingsWhere = (isWanted: (key: string) => boolean): Record<string, unknown> =>
    Object.fromEntries(Object.entries(settings).filter(([key]) => isWanted(key)));
  const isTime = (key: string): boolean => Object.hasOwn(timeKeys, key);
  const defaults = await readKeyValues(context, flags.modelDefault);
  const modelConfig = checkedModelConfig(context, chosen.provider, {
    'authorized-keys': await keysOfNewModel((await context.store()).dir, context.io),
    ...defined({ 'logging-config': context.io.env['JUJU_LOGGING_CONFIG'] || undefined }),
    ...defaults,
    ...settingsWhere((key) => !isControllerSetting(key) && !isTime(key)),
  });
  return {
    name,
    chosen,
    place: chosen.region === '' ? chosen.cloud.name : `${chosen.cloud.name}/${chosen.region}`,
    config: readFirstSettings(settingsWhere(isControllerSetting), (value) =>
      typeof value === 'string' ? readScalar(value) : value,
    ),
    modelConfig,
    modelDefaults: parseModelConfig(withDefaultBase(defaults), chosen.provider.config).config,
    requested: { constraints: formatConstraints(modelConstraints), bootstrapConstraints, directive: to },
    modelConstraints,
    base: baseOf(flags, modelConfig),
    timeouts: {
      untilConnected: milliseconds(settings, 'bootstrap-timeout'),
      betweenTries: milliseconds(settings, 'bootstrap-retry-delay'),
      betweenLooks: milliseconds(settings, 'bootstrap-addresses-delay'),
    },
    flags,
  };
}
const providersOwn = 'model-uuid';

/** Returns the model's configuration, typed by the schemas of the model and the provider. */
function checkedModelConfig(
  context: CommandContext,
  provider: Provider,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { config, unknown } = parseModelConfig(withDefaultBase(settings), provider.config);
  for (const key of unknown) context.warning(`unknown config field ${JSON.stringify(key)}`);
  const merged = mergedModelConfig(config, provider.config);
  checkModelConfigChange({}, merged, provider.config);
  checkFirewallMode(provider, merged);
  return config;
}

/** Checks that the provider has the firewall mode, and one that can limit SSH if that is asked. Errors: `not valid`. */
function checkFirewallMode(provider: Provider, merged: Readonly<Record<string, unknown>>): void {
  const firewallMode = merged['firewall-mode'];
  checkSshAllow(
    merged['ssh-allow'],
    firewallMode !== 'none' && provider.firewallModes.some((mode) => mode !== 'none'),
  );
  // The default mode is accepted everywhere, because no user asked for it.
  if (firewallMode === 'instance' || provider.firewallModes.some((mode) => mode === firewallMode)) return;
  throw new JujuError(
    'not valid',
    `firewall-mode "${String(firewallMode)}" is not supported by ${provider.type} clouds, which support: ${provider.firewallModes.join(', ')}`,
  );
}

function baseOf(
  { bootstrapBase: base, bootstrapSeries: series }: BootstrapFlags,
  modelConfig: Readonly<Record<string, unknown>>,
): Base {
  const asked = baseOfFlags({ base, series }, 'bootstrap-');
  if (asked) return asked;
  const text = modelConfig['default-base'];
  return typeof text === 'string' && text !== '' ? parseBase(text) : defaultBase;
}

/** Returns a timeout setting in milliseconds. Errors: `not valid`. */
function milliseconds(settings: Readonly<Record<string, unknown>>, key: keyof typeof timeKeys): number {
  const seconds = Number(settings[key] ?? timeKeys[key]);
  if (!(seconds > 0))
    throw new JujuError(
      'not valid',
      `${key}: expected a number of seconds above 0, got ${JSON.stringify(settings[key])}`,
    );
  return seconds * 1000;
}
