import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, int, list, text } from '../flags.ts';
import { rolloutFlags } from '../charm/rollout.ts';
import { requirementsFlags } from '../requirements.ts';

export const refresh = command({
  name: 'refresh',
  summary: "Refresh an application's charm.",
  usage: '<application>',
  details: `Gives the application another revision of its charm, which is a directory or a .charm file given by --path. Its
units follow one after the other: each replaces the charm's files, and runs upgrade-charm and config-changed. The files
that the charm made itself stay. Units that are added from now on run the new charm.

Settings stay, as far as the new charm has them with the same type; --config changes some at the same time.

A unit whose hook has failed keeps its charm until the hook is resolved. With --force-units it gets the new files at once,
and its failed hook runs again with them. A unit whose install has failed installs the new charm without any flag.

The charm is refused when it has another name, lacks a relation or storage that the application has, changes between principal and
subordinate, or does not support the application's base (see --force-base).

--resource <name>=<file> gives resources of the new charm their contents. The others stay as they are; those that the
charm before lacked must be given.

--storage <name>=<pool>,<count>,<size> says what units get of a storage of the new charm, those to come and, when the charm
before lacked it, those that are there. Storage that they have stays; a charm that lacks it, or declares it otherwise, is
refused.

--base is the base of units that are added from now on. Units that have a machine keep it.

--rolling upgrades the units in batches of --max-unavailable, the leader last. The next batch waits until each unit of the
one before has the new charm, an idle agent and an active workload, or what --wait-for says of a unit. A failed hook stops
the roll-out: --resume runs it again and goes on, --abort leaves each unit the charm that it runs, and --rollback returns
to the charm, settings and resources from before, in batches too. The command follows the roll-out, and exits with 1 when
it is stopped; when the command is interrupted, the roll-out goes on. --pause-after canary waits for --resume after the
first unit.

--rolling --resource <name>=<file> without a charm gives units another content of a resource in batches, in the same way;
attach-resource gives it to all at once.

--dry-run prints what would change: the charm, settings that are dropped or set, endpoints, storage and resources, the units
that take the charm, and with --rolling the batches. Nothing is sent or changed. It goes with --rollback, too.

--switch takes a path, or the URL of a charm that the model has (local:mysql-2), which may have another name. --revision
is the revision of a charm with the same name that the model has.`,
  examples: [
    'refresh mysql --path ./mysql',
    'refresh mysql --path ./mysql_ubuntu-24.04.charm --config max-connections=200',
    'refresh mysql --path ./mysql --force-units',
    'refresh mysql --path ./mysql --resource dump=./dump.sql.gz --storage logs=10G',
    'refresh mysql --switch local:mysql-2',
    'refresh mysql --path ./mysql --rolling --max-unavailable 25% --pause-after canary',
    'refresh mysql --path ./mysql --rolling --dry-run',
    'refresh mysql --rolling --resource dump=./dump.sql.gz',
    'refresh mysql --rollback',
  ],
  seeAlso: ['deploy', 'status', 'resolved', 'explain'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
    ...rolloutFlags,
    base: text('--base', 'Select a different base than what is currently running'),
    bind: text('--bind', 'Configure application endpoint bindings to spaces'),
    channel: text('--channel', 'Channel to use when getting the charm from Charmhub'),
    config: list('--config', 'Either a path to yaml-formatted application config file or a key=value pair'),
    force: bool(
      '--force',
      'Allow a charm to be refreshed which bypasses LXD profile allow list and unmet assumptions',
    ),
    forceBase: bool(
      '--force-series, --force-base',
      'Refresh even if the base of the application is not supported by the new charm',
    ),
    forceUnits: bool('--force-units', 'Refresh all units immediately, even if in error state'),
    path: text('--path', 'Refresh to a charm located at path', { completes: 'file' }),
    resource: list('--resource', 'Resource to be uploaded to the controller'),
    revision: int('--revision', 'Explicit revision of current charm', -1),
    storage: list('--storage', 'Charm storage directives'),
    switch: text('--switch', 'Crossgrade to a different charm', { completes: 'file' }),
    trust: bool('--trust', 'Allows charm to run hooks that require access credentials'),
  },
  async run(context, flags, args, givenFlags) {
    const [application, ...moreArgs] = args;
    if (!application) throw new UsageError('no application specified');
    noMoreArgs(moreArgs);
    const { refreshApplication } = await import('../charm/refresh-application.ts');
    return refreshApplication(context, application, flags, givenFlags);
  },
});
