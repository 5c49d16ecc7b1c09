import { parse } from 'yaml';
import { formatBase, parseBase } from '../../core/base.ts';
import { JujuError } from '../../core/errors.ts';
import { isApplicationName } from '../../core/names.ts';
import { missingWords, requireModes, requirementsOf } from '../../core/requirements/requirement.ts';
import type { CommandContext, ModelSession } from '../context.ts';
import { call, only } from '../calls.ts';
import { localPath } from '../charm/local-path.ts';
import { uploadCharm } from '../charm/upload-charm.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints, readConstraints } from '../constraints.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, commas, int, list, text } from '../flags.ts';
import { readText, splitKeyValues } from '../key-values.ts';
import { parsePlacements } from '../placements.ts';
import { tellRequirements, toldFlags } from '../requirements.ts';
import { refuseByCharm, refuseByModel, type DeployPlan } from '../refuse-deploy.ts';
import { reuseFlag, reuseParam, tellReused } from '../reused.ts';
import { arch } from '../version.ts';

export const deploy = command({
  name: 'deploy',
  summary: 'Deploys a new application or bundle.',
  usage: '<charm or bundle> [<application name>]',
  details: `The charm is a directory or a packed .charm file, given as a path: ./mysql, /charms/mysql,
mysql_ubuntu-22.04.charm. The application takes the charm's name unless another is given.

The application's base is --base, else the model's default-base, else one of the charm's; it stays, and its
units go only on machines of that base. --constraints are captured by each unit when it is made.

--config takes option=value, option=@file with the value in a file, or a YAML file that has the options
under the application's name; it may be given several times. --to takes what add-unit's takes.
A subordinate charm is deployed without units: they come with its relations.

Units are deployed when each required endpoint has a relation with an application that is deployed itself; until
then they wait, without a machine, and what is missing is said. Required are the endpoints that the charm states
to be (optional: false), which the model setting require-endpoints can change, and those that --require names. No
order of commands is needed.

A bundle is a .yaml file, or a directory with bundle.yaml, that describes applications, machines and relations
together; --overlay lays others over it. Only what the model lacks is made or changed, so the same command again
continues after a failure. What would wait, and for what, is said before anything is changed. --map-machines
existing uses machines of the model that have the numbers of the bundle's; 0=3,1=4 says which. --trust allows what
the bundle says with trust: true. See docs/bundles.md.`,
  examples: [
    'deploy ./mysql',
    'deploy ./mysql db -n 3 --constraints "mem=2G cores=2"',
    'deploy ./mysql_ubuntu-24.04.charm --config max-connections=100',
    'deploy ./mysql --to 0',
    'deploy ./wordpress --require cache',
    'deploy ./bundle.yaml',
    'deploy ./bundle.yaml --overlay ./production.yaml --dry-run',
    'deploy ./bundle.yaml --map-machines existing,0=3',
  ],
  seeAlso: [
    'integrate',
    'add-unit',
    'config',
    'expose',
    'constraints',
    'pending',
    'export-bundle',
    'diff-bundle',
  ],
  completes: ['file'],
  flags: {
    ...modelFlags,
    ...toldFlags,
    attachStorage: list('--attach-storage', 'Existing storage to attach to the deployed unit'),
    base: text('--base', 'The base on which to deploy'),
    bind: text('--bind', 'Configure application endpoint bindings to spaces'),
    channel: text('--channel', 'Channel to use when deploying a charm or bundle from Charmhub'),
    config: list('--config', 'Either a path to yaml-formatted application config file or a key=value pair'),
    constraints: list('--constraints', 'Set application constraints'),
    dryRun: bool('--dry-run', 'Just show what the deploy would do'),
    force: bool(
      '--force',
      'Allow a charm to be deployed which bypasses checks such as supported base or LXD profile allow list',
    ),
    mapMachines: text('--map-machines', 'Specify the existing machines to use for bundle deployments'),
    numUnits: int('-n, --num-units', 'Number of application units to deploy for principal charms', 1),
    overlay: list('--overlay', 'Bundles to overlay on the primary bundle, applied in order', {
      completes: 'file',
    }),
    reuseMachines: reuseFlag,
    require: commas('--require', 'Endpoints that are required whatever the charm says', {
      completes: 'requires',
    }),
    resource: list('--resource', 'Resource to be uploaded to the controller'),
    revision: int('--revision', 'The revision to deploy', -1),
    storage: list('--storage', 'Charm storage directives'),
    to: commas('--to', 'The machine, container or zone to deploy the unit in', {
      completes: 'machine',
    }),
    trust: bool('--trust', 'Allows charm to run hooks that require access credentials'),
  },
  async run(context, flags, args, given) {
    const [where, name, ...rest] = args;
    if (!where) throw new UsageError('no charm or bundle specified');
    noMoreArgs(rest);
    const { findBundle } = await import('../bundle/read-bundle.ts');
    const bundle = await findBundle(context, where);
    if (bundle !== undefined) {
      if (name)
        throw new UsageError('a bundle names its applications itself: leave out the application name');
      const { deployBundle } = await import('../bundle/deploy-bundle.ts');
      return deployBundle(context, bundle, flags, given);
    }
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
    const { readCharm } = await import('../charm/read-charm.ts');
    const local = await readCharm(await localPath(context, where));
    const { meta } = local.charm;
    const application = name ?? meta.name;
    if (meta.subordinate) {
      if (given.has('numUnits') || flags.to.length > 0)
        throw new UsageError('cannot use --num-units or --to with subordinate application');
      if (flags.constraints.length > 0)
        throw new UsageError('cannot use --constraints with subordinate application');
    }
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
      force,
      require: flags.require,
    };
    refuseByCharm(plan);
    const session = await context.openModel(flags.model);
    const placements = parsePlacements(flags.to.slice(0, flags.numUnits), session.modelUuid);
    const constraints = await checkedConstraints(context, session.connection, asked);
    context.info(`Located local charm "${meta.name}", revision ${local.revision}`);
    const onBase = base ? ` on ${formatBase(base)}` : '';
    if (flags.dryRun) {
      context.info(`Would deploy "${application}" from local charm "${meta.name}"${onBase}`);
      return tellWouldWait(context, session, { ...plan, units: flags.numUnits, format: flags.format });
    }
    await refuseByModel(session.connection, { ...plan, placements });
    const url = await uploadCharm(context, session, local);
    context.info(
      `Deploying "${application}" from local charm "${meta.name}", revision ${/\d+$/.exec(url)?.[0] ?? 0}${onBase}`,
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
          ...(flags.bind ? { 'endpoint-bindings': parseBindings(flags.bind) } : {}),
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
  },
});

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
  const missing = requirements.map(({ endpoint, interface: its }) => ({
    endpoint,
    interface: its,
    applications: [],
  }));
  if (missing.length > 0) context.info(`It would wait for ${missingWords(missing)}`);
  if (format === 'text') return;
  const since = new Date(context.io.clock.now()).toISOString();
  const units = charm.meta.subordinate ? 0 : plan.units;
  const pending = missing.length > 0 ? [{ application, since, missing, units, running: 0 }] : [];
  await tellRequirements(context, format, { deployable: [], circles: [], pending }, { application });
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
  const content: unknown = parse(yaml);
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
