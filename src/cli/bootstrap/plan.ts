/** What `bootstrap` is to make, read and checked before anything is. */
import { defaultBase, parseBase, type Base } from '../../core/base.ts';
import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { checkModelConfigChange, mergedModelConfig, parseModelConfig } from '../../core/model/config.ts';
import { parsePlacement } from '../../core/placement.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import type { FirstMachineWishes } from '../../providers/contract/plan-first-machine.ts';
import type { ChosenCloud } from '../clouds/cloud.ts';
import { readConstraints } from '../constraints.ts';
import type { CommandContext } from '../context.ts';
import { ensureSshKey } from '../files/ssh-key.ts';
import { readKeyValues, readScalar } from '../key-values.ts';

/** The controller's own settings; other `--config` keys are those of the controller model. */
const controllerKeys = new Set([
  'api-port',
  'agent-logfile-max-size',
  'audit-log-exclude-methods',
  'auditing-enabled',
  'controller-name',
  'max-agent-state-size',
  'max-charm-state-size',
  'max-debug-log-duration',
  'max-history-revisions',
  'max-model-size',
  'model-logs-size',
]);

/** Of the command itself: how long it waits, in seconds, as Juju has them. */
const timeKeys = { 'bootstrap-timeout': 1200, 'bootstrap-retry-delay': 5, 'bootstrap-addresses-delay': 10 };

/** As they were given on the command line; '' = not. */
export interface BootstrapFlags {
  readonly addModel: string;
  readonly config: readonly string[];
  readonly modelDefault: readonly string[];
  readonly constraints: readonly string[];
  readonly bootstrapConstraints: readonly string[];
  readonly bootstrapBase: string;
  readonly dataDir: string;
  readonly keepBroken: boolean;
  readonly noSwitch: boolean;
  readonly to: string;
}

export interface BootstrapPlan {
  readonly name: string;
  readonly chosen: ChosenCloud;
  /** `localhost/localhost`, or the cloud alone where it has no regions. */
  readonly place: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Of the model `controller`, and of the one of --add-model. */
  readonly modelConfig: Readonly<Record<string, unknown>>;
  /** Of every model on the controller's cloud, unless it says otherwise; in modelConfig too. */
  readonly modelDefaults: Readonly<Record<string, unknown>>;
  readonly wishes: FirstMachineWishes;
  readonly modelConstraints: Constraints;
  /** Of machine 0, where it is made for the controller. */
  readonly base: Base;
  /** Milliseconds. */
  readonly patience: {
    readonly untilConnected: number;
    readonly betweenTries: number;
    readonly betweenLooks: number;
  };
  readonly flags: BootstrapFlags;
}

/** Errors: `not valid`, as Juju words them; UsageError. */
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
  const given = await readKeyValues(context, flags.config);
  const part = (isWanted: (key: string) => boolean): Record<string, unknown> =>
    Object.fromEntries(Object.entries(given).filter(([key]) => isWanted(key)));
  const isTime = (key: string): boolean => Object.hasOwn(timeKeys, key);
  const defaults = await readKeyValues(context, flags.modelDefault);
  const modelConfig = checkedModelConfig(context, chosen.provider, {
    'authorized-keys': await ensureSshKey((await context.store()).dir),
    ...defaults,
    ...part((key) => !controllerKeys.has(key) && !isTime(key)),
  });
  return {
    name,
    chosen,
    place: chosen.region === '' ? chosen.cloud.name : `${chosen.cloud.name}/${chosen.region}`,
    // No schema gives these their types.
    config: Object.fromEntries(
      Object.entries(part((key) => controllerKeys.has(key))).map(([key, value]) => [
        key,
        typeof value === 'string' ? readScalar(value) : value,
      ]),
    ),
    modelConfig,
    modelDefaults: parseModelConfig(defaults, chosen.provider.config).config,
    wishes: { constraints: formatConstraints(modelConstraints), bootstrapConstraints, directive: to },
    modelConstraints,
    base: baseOf(flags.bootstrapBase, modelConfig),
    patience: {
      untilConnected: milliseconds(given, 'bootstrap-timeout'),
      betweenTries: milliseconds(given, 'bootstrap-retry-delay'),
      betweenLooks: milliseconds(given, 'bootstrap-addresses-delay'),
    },
    flags,
  };
}
const providersOwn = 'model-uuid';

/** Typed, as the model's schema and the provider's have it. */
function checkedModelConfig(
  context: CommandContext,
  provider: Provider,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { config, unknown } = parseModelConfig(given, provider.config);
  for (const key of unknown) context.warning(`unknown config field ${JSON.stringify(key)}`);
  const merged = mergedModelConfig(config, provider.config);
  checkModelConfigChange({}, merged, provider.config);
  checkFirewallMode(provider, merged);
  return config;
}

/** Errors: `not valid` when the provider has no such mode. */
function checkFirewallMode(provider: Provider, merged: Readonly<Record<string, unknown>>): void {
  const wanted = merged['firewall-mode'];
  // Nobody asked for the default.
  if (wanted === 'instance' || provider.firewallModes.some((mode) => mode === wanted)) return;
  throw new JujuError(
    'not valid',
    `firewall-mode "${String(wanted)}" is none of a ${provider.type} cloud, which has: ${provider.firewallModes.join(', ')}`,
  );
}

function baseOf(given: string, modelConfig: Readonly<Record<string, unknown>>): Base {
  const text = given || modelConfig['default-base'];
  return typeof text === 'string' && text !== '' ? parseBase(text) : defaultBase;
}

/** Errors: `not valid`. */
function milliseconds(given: Readonly<Record<string, unknown>>, key: keyof typeof timeKeys): number {
  const seconds = Number(given[key] ?? timeKeys[key]);
  if (!(seconds > 0))
    throw new JujuError(
      'not valid',
      `${key}: expected a number of seconds above 0, got ${JSON.stringify(given[key])}`,
    );
  return seconds * 1000;
}
