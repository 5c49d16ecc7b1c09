import { command, formatFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, duration, list, text } from '../flags.ts';

/** Maximum duration of a step in milliseconds, unless --timeout says otherwise. */
const stepTimeoutMs = 5 * 60_000;

export const test = command({
  name: 'test',
  summary: 'Tests a charm on a controller of its own.',
  usage: '<charm path>',
  details: `Creates a controller on this host with files of its own, deploys the charm from its directory, plays each
--scenario in a model of its own, reports, and removes everything. Your own controllers, models and files are neither
read nor changed.

A scenario is a text file: commands, what to wait for, and what to expect. Its paths are relative to the file; $CHARM is
the path of the charm under test. Other charms are deployed by their paths, or made up by a line "charm db: provides db
as mysql". docs/testing-charms.md lists all that a scenario can say. Without a scenario, the charm is deployed, and its
units must become active, or blocked while a relation, an option or a resource that the charm states is missing.

Machines are of this host's base unless --local-image gives them another: an archive as "local-image add" takes it, or
a base alone, which is built from its distribution's packages in some minutes.

A hook that fails is not tried again, and ends a wait at once. A failure shows the step, what was expected and what is,
the output of hooks, relation data, and the history of the units involved.

With --watch, each change of the charm's files is packed and given to the units; failed hooks run again. A scenario that
had failed goes on from the step that failed; of one that had passed, the last steps that wait, expect, or check a
command's output are played again. A changed scenario file is read again, and goes on from its first new step, or begins
anew in a new model. Errors do not end this; ^C does.

The exit code is 0 when all scenarios passed, 1 when not, and 2 when a scenario or the command line cannot be read.`,
  examples: [
    'test ./mycharm',
    'test ./mycharm --scenario tests/upgrade.txt --junit results.xml',
    'test ./mycharm --scenario tests/db.txt --watch',
    'test ./mycharm --local-image ubuntu@24.04=noble.tar.xz',
    'test ./mycharm --keep --config enable-os-refresh-update=false',
  ],
  seeAlso: ['deploy', 'refresh', 'debug-log', 'explain', 'history'],
  completes: ['file'],
  flags: {
    ...formatFlags('tabular', 'json', 'yaml'),
    config: list('--config', 'Configuration of the models: a file, or key=value'),
    junit: text('--junit', 'Write the results to this file, as JUnit XML', { completes: 'file' }),
    localImage: list(
      '--local-image',
      'Add this root file system for machines: <base>, or <base>=<archive>; may be repeated',
      { completes: 'file' },
    ),
    keep: bool('--keep', 'Keep the controller, for a look'),
    scenario: list('--scenario', 'Play the scenario in this file; may be repeated', { completes: 'file' }),
    timeout: duration('--timeout', 'Maximum duration of a step', '5m0s'),
    watch: bool(
      '--watch',
      "Refresh the units whenever the charm's files change, read changed scenarios, and check again",
    ),
  },
  async run(context, flags, args) {
    const [path, ...moreArgs] = args;
    if (!path) throw new UsageError('no charm specified');
    noMoreArgs(moreArgs);
    const { testCharm } = await import('../charm-test/test-charm.ts');
    return testCharm(context, path, {
      ...flags,
      images: flags.localImage,
      timeoutMs: flags.timeout ?? stepTimeoutMs,
    });
  },
});
