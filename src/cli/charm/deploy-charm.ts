import { formatBase, parseBase } from '../../core/base.ts';
import { JujuError } from '../../core/errors.ts';
import { isApplicationName } from '../../core/names.ts';
import {
  missingWords,
  requireModes,
  requirementsOf,
  withoutImplied,
} from '../../core/requirements/requirement.ts';
import { call, only } from '../../client/calls.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import { checkedConstraints, readConstraints } from '../constraints.ts';
import type { CommandContext, ModelSession } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readText, splitKeyValues } from '../key-values.ts';
import { parsePlacements } from '../placements.ts';
import { baseOf, refuseByCharm, refuseByModel, type DeployPlan } from '../refuse-deploy.ts';
import { tellRequirements } from '../requirements.ts';
import { reuseParam, tellReused } from '../reused.ts';
import { arch } from '../version.ts';
import { localPath } from './local-path.ts';
import { readCharm } from './read-charm.ts';
import { uploadCharm } from './upload-charm.ts';

export interface CharmFlags {
  readonly attachStorage: readonly string[];
  readonly base: string;
  readonly bind: string;
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
  readonly storage: readonly string[];
  readonly to: readonly string[];
  readonly trust: boolean;
}
type Given = ReadonlySet<string>;

/** The charm is read and all that is known to be wrong is refused before it is sent. */
export async function deployCharm(
  context: CommandContext,
  { where, name }: { readonly where: string; readonly name: string | undefined },
  flags: CharmFlags,
  given: Given,
): Promise<void> {
  checkFlags(flags, name);
  const local = await readCharm(await localPath(context, where));
  const { meta } = local.charm;
  const application = name ?? meta.name;
  if (meta.subordinate) refuseOfPrincipals(flags, given);
  const config = await readConfig(context, application, flags);
  // Without --base the controller chooses: it knows which bases its cloud has.
  const base = flags.base ? parseBase(flags.base) : undefined;
  const asked = readConstraints(flags.constraints);
  const { force } = flags;
  const plan = {
    application,
    charm: local.charm,
    options: config.options,
    base,
    constraints: asked,
    bindings: parseBindings(flags.bind),
    force,
    require: flags.require,
  };
  refuseByCharm(plan);
  const session = await context.openModel(flags.model);
  const placements = parsePlacements(flags.to.slice(0, flags.numUnits), session.modelUuid);
  context.info(`Located local charm "${meta.name}", revision ${local.revision}`);
  const chosen = await baseOf(session.connection, plan);
  const machines = { base: chosen, placement: placements, count: flags.numUnits };
  const constraints = await checkedConstraints(
    context,
    session.connection,
    asked,
    meta.subordinate ? undefined : machines,
  );
  await refuseByModel(session.connection, { ...plan, base: chosen, placements });
  const onBase = base ? ` on ${formatBase(base)}` : '';
  if (flags.dryRun) {
    context.info(`Would deploy "${application}" from local charm "${meta.name}"${onBase}`);
    return tellWouldWait(context, session, { ...plan, units: flags.numUnits, format: flags.format });
  }
  const url = await uploadCharm(context, session, local);
  context.info(
    `Deploying "${application}" from local charm "${meta.name}", revision ${/(?<!\d)\d+$/.exec(url)?.[0] ?? 0}${onBase}`,
  );
  if (flags.to.length > flags.numUnits)
    context.warning(`${flags.to.length - flags.numUnits} more placements than units: the last are ignored`);
  const { results } = await call(session.connection, 'Application', 'Deploy', {
    applications: [
      {
        application,
        'charm-url': url,
        'charm-origin': {
          source: 'local',
          type: 'charm',
          id: '',
          architecture: arch(),
          ...(base ? { base: { ...base } } : {}),
        },
        channel: '',
        'num-units': meta.subordinate ? 0 : flags.numUnits,
        config: config.values,
        'config-yaml': config.yaml,
        constraints,
        ...(placements.length > 0 ? { placement: placements } : {}),
        ...(flags.bind ? { 'endpoint-bindings': plan.bindings } : {}),
        ...(flags.require.length > 0 ? { require: [...flags.require] } : {}),
        Force: flags.force,
        ...reuseParam(given, flags.reuseMachines),
      },
    ],
  });
  const { requirements, reused } = only(results);
  tellReused(context, { reused });
  const did = { application, charm: url, ...(reused ? { reused } : {}) };
  await tellRequirements(context, flags.format, requirements, did);
}

/** Errors: UsageError. */
function checkFlags(flags: CharmFlags, name: string | undefined): void {
  const onlyOfBundles = [
    ...(flags.overlay.length > 0 ? ['--overlay'] : []),
    ...(flags.mapMachines ? ['--map-machines'] : []),
  ];
  if (onlyOfBundles.length > 0)
    throw new UsageError(
      `options provided but not supported when deploying a charm: ${onlyOfBundles.join(', ')}`,
    );
  for (const [flag, used] of [
    ['--resource', flags.resource.length],
    ['--storage', flags.storage.length],
    ['--attach-storage', flags.attachStorage.length],
  ] as const) {
    if (used) throw new UsageError(`${flag} is not supported`);
  }
  if (flags.numUnits < 0) throw new UsageError('--num-units must be a positive integer');
  if (name && !isApplicationName(name)) {
    throw new UsageError(
      `invalid application name "${name}": lowercase letters, digits and hyphens, starting with a letter`,
    );
  }
}

/** Errors: UsageError. A subordinate's units come with its relations, on their principals' machines. */
function refuseOfPrincipals(flags: CharmFlags, given: Given): void {
  if (given.has('numUnits') || flags.to.length > 0)
    throw new UsageError('cannot use --num-units or --to with subordinate application');
  if (flags.constraints.length > 0)
    throw new UsageError('cannot use --constraints with subordinate application');
}

/** Of a dry run. Nothing is related to what is not there yet: all that it requires is missing. */
async function tellWouldWait(
  context: CommandContext,
  { connection }: ModelSession,
  plan: DeployPlan & { readonly units: number; readonly format: string },
): Promise<void> {
  const { application, charm, require, format } = plan;
  const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
  const mode = requireModes.find((one) => one === config['require-endpoints']?.value);
  // A controller that does not have the setting requires nothing.
  const requirements = mode ? requirementsOf(charm.meta, require, mode) : [];
  const missing = withoutImplied(requirements).map(({ endpoint, interface: its }) => ({
    endpoint,
    interface: its,
    applications: [],
  }));
  if (missing.length > 0) context.info(`It would wait for ${missingWords(missing)}`);
  if (format === 'text') return;
  const since = new Date(context.io.clock.now()).toISOString();
  const units = charm.meta.subordinate ? 0 : plan.units;
  const pending = missing.length > 0 ? [{ application, since, missing, units, running: 0 }] : [];
  await tellRequirements(
    context,
    format,
    { deployable: [], running: [], circles: [], pending },
    { application },
  );
}

async function readConfig(
  context: CommandContext,
  application: string,
  flags: { readonly config: readonly string[]; readonly trust: boolean },
): Promise<{ values: Record<string, string>; yaml: string; options: Record<string, unknown> }> {
  const { files, values } = splitKeyValues(flags.config);
  if (files.length > 1)
    throw new UsageError(`only a single config YAML file can be specified, got ${files.length}`);
  for (const [key, value] of Object.entries(values))
    if (value.startsWith('@')) values[key] = await readText(context, value.slice(1));
  if (flags.trust) values['trust'] = 'true';
  if (!files[0]) return { values, yaml: '', options: values };
  const yaml = await readText(context, files[0]);
  const content = readYamlValue(yaml, { dialect: 'juju' });
  if (content === null || typeof content !== 'object' || !(application in content)) {
    throw new JujuError('not valid', `${files[0]}: no settings found for application "${application}"`);
  }
  const own = (content as Record<string, unknown>)[application];
  return { values, yaml, options: { ...(own !== null && typeof own === 'object' && own), ...values } };
}

/** `alpha db=beta`: a space for all endpoints, and for one. */
function parseBindings(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => (word.includes('=') ? (word.split('=', 2) as [string, string]) : ['', word])),
  );
}
