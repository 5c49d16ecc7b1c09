import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, commas, int, list, text } from '../flags.ts';
import { toldFlags } from '../requirements.ts';
import { reuseFlag } from '../reused.ts';

export const deploy = command({
  name: 'deploy',
  summary: 'Deploys a new application or bundle.',
  usage: '<charm or bundle> [<application name>]',
  details: `The charm is a directory or a packed .charm file, given as a path: ./mysql, /charms/mysql,
mysql_ubuntu-22.04.charm. The application takes the charm's name unless another is given.

The application's base is --base, else the model's default-base, else one of the charm's, if the cloud has
one of these, that one; it stays, and its units go only on machines of that base. --constraints are captured by each unit when it is made.

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
    const { findBundle } = await import('../../operate/files/read-bundle.ts');
    const bundle = await findBundle(context.io, where);
    if (bundle !== undefined) {
      if (name)
        throw new UsageError('a bundle names its applications itself: leave out the application name');
      const { deployBundle } = await import('../bundle/deploy-bundle.ts');
      return deployBundle(context, bundle, flags, given);
    }
    const { deployCharm } = await import('../charm/deploy-charm.ts');
    return deployCharm(context, { where, name }, flags, given);
  },
});
