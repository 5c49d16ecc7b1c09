import { JujuError } from '../../core/errors.ts';
import type { ResultOf } from '../../client/calls.ts';
import { errorOf } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';

/** The newest version of the facade with FindTools. */
const withFindTools = 6;

export const syncAgentBinary = command({
  name: 'sync-agent-binary',
  summary: 'Copy agent binaries from the official agent store into a local controller.',
  details: `The agents of a controller of grigri come with it: there is no store of agents elsewhere, and nothing to copy.
The command lists the agents that the controller has, and fails when it has none of the version that is asked for.
To add an architecture, put its Node.js into the controller's data directory, as agents/ARCHITECTURE/node.`,
  examples: ['sync-agent-binary', 'sync-agent-binary --agent-version 3.6.28 --dry-run'],
  seeAlso: ['upgrade-controller'],
  flags: {
    ...modelFlags,
    agentVersion: text('--agent-version', 'Copy a specific major[.minor] version'),
    dryRun: bool('--dry-run', "Don't copy, just print what would be copied"),
    localDir: text('--local-dir', 'Local destination directory; not supported', { completes: 'file' }),
    public: bool('--public', 'Tools are for a public cloud, so generate mirrors information; not supported'),
    source: text('--source', 'Local source directory; not supported', { completes: 'file' }),
    stream: text('--stream', 'Simplestreams stream for which to sync metadata; there is one'),
  },
  async run(context, { model, agentVersion, localDir, source, ...flags }, args) {
    noMoreArgs(args);
    if (localDir || source || flags.public)
      throw new JujuError('not supported', 'copying agent binaries from or to a directory not supported');
    const { connection } = await context.openModel(model);
    const exact = /^\d+\.\d+\.\d+$/.test(agentVersion) ? agentVersion : '0.0.0';
    const found = await connection.call<ResultOf<'Client', 'FindTools'>>(
      'Client',
      'FindTools',
      { number: exact, major: 0, arch: '', 'os-type': '', agentstream: flags.stream },
      { version: withFindTools },
    );
    if (found.error) throw errorOf(found.error);
    const list = found.list.filter(({ version }) =>
      agentVersion === '' || exact !== '0.0.0' ? true : version.startsWith(`${agentVersion}.`),
    );
    if (list.length === 0) throw new JujuError('not found', 'no matching agent binaries found');
    for (const { version } of list) context.info(`the controller has ${version}`);
  },
});
