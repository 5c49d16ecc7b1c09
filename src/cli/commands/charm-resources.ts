import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSection } from '../format/tabwriter.ts';
import { localPath } from '../charm/local-path.ts';
import { charmResourceView } from '../charm/resource-views.ts';

export const charmResources = command({
  name: 'charm-resources',
  summary: 'Display the resources for a charm.',
  usage: '<charm>',
  details: `The charm is a directory or a packed .charm file. Its resources have no revisions: each deploy brings its own files.`,
  examples: ['charm-resources ./mysql', 'charm-resources ./mysql_ubuntu-24.04.charm --format json'],
  seeAlso: ['resources', 'attach-resource'],
  completes: ['file'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    channel: text('--channel', 'the channel of the charm in a store'),
  },
  async run(context, { format }, args) {
    const [charmPath, ...moreArgs] = args;
    if (!charmPath) throw new UsageError('missing charm');
    noMoreArgs(moreArgs);
    const { readCharm } = await import('../../operate/files/read-charm.ts');
    const { charm } = await readCharm(await localPath(context, charmPath));
    const declared = Object.entries(charm.meta.resources).sort(([a], [b]) => (a < b ? -1 : 1));
    const views = declared.map(([name, one]) =>
      charmResourceView({ name, ...one, origin: 'upload', revision: 0, fingerprint: null, size: 0 }),
    );
    if (format !== 'tabular') return context.write(render(format, views));
    if (views.length === 0) return context.info('No resources to display.');
    const rows = [
      ['Resource', 'Revision'],
      ...views.map(({ name, revision }) => [name, String(revision ?? '-')]),
    ];
    await context.write(formatSection({ rows }));
  },
});
