/** Flags of deploy for one application. */
import type { DeployRequest } from '../../core/application/check-deploy.ts';
import { optionsIn, splitTrust } from '../../core/application/options.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import { JujuError } from '../../core/errors.ts';
import { isApplicationName } from '../../core/names.ts';
import { ownModelScope } from '../../core/placement.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import { baseOfFlags } from '../base-flags.ts';
import { readConstraints } from '../constraints.ts';
import type { CommandContext } from '../context.ts';
import { parseAfter } from '../after.ts';
import { UsageError } from '../errors.ts';
import { readText, splitKeyValues } from '../key-values.ts';
import { parseStorageArgument } from '../storage.ts';
import { parsePlacements } from '../placements.ts';
import { parseBindings } from '../spaces.ts';
import { defined } from '../../core/defined.ts';

export interface CharmFlags {
  readonly after: readonly string[];
  readonly attachStorage: readonly string[];
  readonly base: string;
  readonly bind: string;
  readonly channel: string;
  readonly config: readonly string[];
  readonly constraints: readonly string[];
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly format: string;
  readonly mapMachines: string;
  readonly model: string;
  readonly numUnits: number;
  readonly overlay: readonly string[];
  readonly require: readonly string[];
  readonly resource: readonly string[];
  readonly reuseMachines: boolean;
  readonly revision: number;
  readonly series: string;
  readonly storage: readonly string[];
  readonly to: readonly string[];
  readonly trust: boolean;
}
type GivenFlags = ReadonlySet<string>;

/** Checks the flags. `name` is the application's name if the user gave one. Errors: UsageError. */
export function checkFlags(flags: CharmFlags, name: string | undefined): void {
  const bundleFlags = [
    ...(flags.overlay.length > 0 ? ['--overlay'] : []),
    ...(flags.mapMachines ? ['--map-machines'] : []),
  ];
  if (bundleFlags.length > 0)
    throw new UsageError(
      `options provided but not supported when deploying a charm: ${bundleFlags.join(', ')}`,
    );
  if (flags.attachStorage.length > 0 && flags.numUnits !== 1)
    throw new UsageError('--attach-storage cannot be used with -n');
  if (flags.numUnits < 0) throw new UsageError('--num-units must be a positive integer');
  if (name && !isApplicationName(name)) {
    throw new UsageError(
      `invalid application name "${name}": lowercase letters, digits and hyphens, starting with a letter`,
    );
  }
}

/** Reads the request from the flags. Errors: UsageError; `not valid`; plain Error for a file that cannot be read. */
export async function readRequest(
  context: CommandContext,
  {
    meta,
    name = meta.name,
    flags,
    givenFlags,
  }: {
    readonly meta: CharmMeta;
    readonly name: string | undefined;
    readonly flags: CharmFlags;
    readonly givenFlags: GivenFlags;
  },
): Promise<DeployRequest> {
  if (meta.subordinate) refusePrincipalFlags(flags, givenFlags);
  const { config, trust = false } = splitTrust(await readOptions(context, name, flags.config));
  return {
    name,
    // The base is left to the controller without --base, because it knows which bases its cloud has.
    ...defined({ base: baseOfFlags(flags) }),
    numUnits: meta.subordinate ? 0 : flags.numUnits,
    constraints: readConstraints(flags.constraints),
    placement: parsePlacements(flags.to.slice(0, flags.numUnits), ownModelScope),
    config,
    trust: trust || flags.trust,
    storage: parseStorage(flags.storage),
    attachStorage: flags.attachStorage.flatMap((ids) => ids.split(',').filter(Boolean)),
    endpointBindings: parseBindings(flags.bind),
    require: flags.require,
    after: parseAfter(flags.after),
    force: flags.force,
    ...defined({ reuse: givenFlags.has('reuseMachines') ? flags.reuseMachines : undefined }),
  };
}

/**
 * Refuses flags that only principals have: units of a subordinate come with its relations, on their principals'
 * machines. Errors: UsageError.
 */
function refusePrincipalFlags(flags: CharmFlags, givenFlags: GivenFlags): void {
  if (givenFlags.has('numUnits') || flags.to.length > 0)
    throw new UsageError('cannot use --num-units or --to with subordinate application');
  if (flags.constraints.length > 0)
    throw new UsageError('cannot use --constraints with subordinate application');
}

/**
 * Reads the values of `--config`: `option=value`, `option=@file`, or a file with the options under the application's
 * name.
 */
export async function readOptions(
  context: CommandContext,
  application: string,
  configFlags: readonly string[],
): Promise<Record<string, unknown>> {
  const { files, values } = splitKeyValues(configFlags);
  if (files.length > 1)
    throw new UsageError(`only a single config YAML file can be specified, got ${files.length}`);
  for (const [key, value] of Object.entries(values))
    if (value.startsWith('@')) values[key] = await readText(context, value.slice(1));
  const [file] = files;
  if (file === undefined) return values;
  const settings = optionsIn(readYamlValue(await readText(context, file), { dialect: 'juju' }), application);
  if (!settings)
    throw new JujuError('not valid', `${file}: no settings found for application "${application}"`);
  return { ...settings, ...values };
}

/** Parses `data=local,2,10G`, or `data` for one by default. Errors: `not valid`. */
function parseStorage(texts: readonly string[]): NonNullable<DeployRequest['storage']> {
  return Object.fromEntries(texts.map(parseStorageArgument));
}
