import { command, modelFlags } from '../command.ts';
import { seriesFlag } from '../base-flags.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, commas, int, list, text } from '../flags.ts';
import { requirementsFlags } from '../requirements.ts';
import { reuseFlag } from '../reused.ts';

export const deploy = command({
  name: 'deploy',
  summary: 'Deploys a new application or bundle.',
  usage: '<charm or bundle> [<application name>]',
  details: `The charm is a directory or a packed .charm file, given as a path: ./mysql, /charms/mysql,
mysql_ubuntu-22.04.charm. The application has the charm's name unless another one is given.

The base is that of --base, or else the model's default-base, or else a base of the charm, preferably one that the cloud
has. It does not change later, and the application's units are placed only on machines with that base. Each unit records
the constraints (--constraints) when it is created.

--config accepts option=value, option=@file with the value in a file, or a YAML file with the options under the
application's name; it may be repeated. --to accepts the same values as in add-unit. A subordinate charm is deployed
without units: they are created by its relations.

Units are deployed when each required endpoint has a relation with an application that is deployed itself. Until then
they wait without a machine, and the command lists what is missing. Required endpoints are those that the charm declares
with optional: false (the model setting require-endpoints can change that) and those of --require. The order of commands
does not matter.

They also wait until each application of --after has been healthy once: its units all active and idle, or as an
expression says that is about each of them, in the language of refresh --wait-for. It may be deployed later.

--resource <name>=<file> gives one of the charm's resources its content; for an OCI image the value may also be the
image's name. A charm runs without resources, too, until it asks for one: attach-resource gives it later.

A bundle is a .yaml file, or a directory with bundle.yaml, that describes applications, machines and relations together;
--overlay applies overlays. Only differences from the model are applied, so that the same command continues after a
failure. Applications that would wait are listed before any change is made. --map-machines existing uses machines of the
model with the same numbers as in the bundle; 0=3,1=4 maps numbers explicitly. --trust allows applications with
trust: true. See docs/bundles.md.`,
  examples: [
    'deploy ./mysql',
    'deploy ./mysql db -n 3 --constraints "mem=2G cores=2"',
    'deploy ./mysql_ubuntu-24.04.charm --config max-connections=100',
    'deploy ./mysql --to 0',
    'deploy ./mysql --resource dump=./dump.sql.gz',
    'deploy ./wordpress --require cache',
    'deploy ./wordpress --after mysql --after cache=\'workload-message=="warm"\'',
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
    'attach-resource',
    'pending',
    'export-bundle',
    'diff-bundle',
  ],
  completes: ['file'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
    after: list('--after', 'Application that has to be healthy first, as <application>[=<health>]', {
      completes: 'application',
    }),
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
    require: commas('--require', 'Endpoints that are required in addition to those of the charm', {
      completes: 'requires',
    }),
    resource: list('--resource', 'Resource to be uploaded to the controller'),
    revision: int('--revision', 'The revision to deploy', -1),
    ...seriesFlag,
    storage: list('--storage', 'Charm storage directives'),
    to: commas('--to', 'The machine, container or zone to deploy the unit in', {
      completes: 'machine',
    }),
    trust: bool('--trust', 'Allows charm to run hooks that require access credentials'),
  },
  async run(context, flags, args, givenFlags) {
    const [charmPath, name, ...moreArgs] = args;
    if (!charmPath) throw new UsageError('no charm or bundle specified');
    noMoreArgs(moreArgs);
    const { findBundle } = await import('../../operate/files/read-bundle.ts');
    const bundle = await findBundle(context.io, charmPath);
    if (bundle !== undefined) {
      if (name) throw new UsageError('cannot specify an application name when deploying a bundle');
      const { deployBundle } = await import('../bundle/deploy-bundle.ts');
      return deployBundle(context, bundle, flags, givenFlags);
    }
    const { deployCharm } = await import('../charm/deploy-charm.ts');
    return deployCharm(context, { charmPath, name }, flags, givenFlags);
  },
});
