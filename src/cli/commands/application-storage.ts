import { JujuError } from '../../core/errors.ts';
import { showSize } from '../../core/storage/directive.ts';
import { call, errorOf, only } from '../../client/calls.ts';
import { applicationTag } from '../../wire/tags.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { readMapFile } from '../key-values.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { parseStorageArgument } from '../storage.ts';

export const applicationStorage = command({
  name: 'application-storage',
  summary: 'Displays or sets storage directives for an application.',
  usage: '<application> [<storage>[=<directive>] ...]',
  details: `Shows the storage that new units of the application get: all of it, or that of one name. With
name=directive, or a YAML file of them, it is changed. Units that are there keep the storage that they have.

A directive is <pool>,<count>,<size>, in any order; what it does not name has the default.`,
  examples: [
    'application-storage postgresql',
    'application-storage postgresql pgdata',
    'application-storage postgresql pgdata=100G',
    'application-storage postgresql pgdata=local,1,100G logs=10G',
  ],
  seeAlso: ['add-storage', 'deploy', 'storage', 'storage-pools'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    ...colourFlags,
    file: text('--file', 'Path to a YAML file with a directive for each name', { completes: 'file' }),
  },
  async run(context, { model, format, file }, args) {
    const [application, ...words] = args;
    if (!application) throw new UsageError('no application name specified');
    const tag = applicationTag(application);
    const changes = words.filter((word) => word.includes('='));
    if (changes.length > 0 || file !== '') {
      if (changes.length < words.length)
        throw new UsageError('cannot set and retrieve values simultaneously');
      const directives = file === '' ? {} : await readMapFile(context, file);
      const storage = Object.fromEntries(
        [...Object.entries(directives).map(([name, value]) => `${name}=${String(value)}`), ...changes].map(
          (word) => parseStorageArgument(word),
        ),
      );
      const { connection } = await context.openModel(model);
      const updates = { 'storage-updates': [{ 'application-tag': tag, 'storage-constraints': storage }] };
      only((await call(connection, 'Application', 'UpdateApplicationStorage', updates)).results);
      return;
    }
    const [name, ...moreArgs] = words;
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'GetApplicationStorage', {
      entities: [{ tag }],
    });
    const { Error: error, 'storage-constraints': all } = results[0]!;
    if (error || !all) throw errorOf(error ?? { message: `no answer about application "${application}"` });
    if (name !== undefined && !Object.hasOwn(all, name))
      throw new JujuError('not found', `storage "${name}" of application "${application}" not found`);
    const shown = name === undefined ? all : { [name]: all[name]! };
    const entries = Object.entries(shown);
    const rows = entries.map(([storage, { pool, size, count }]) => [
      storage,
      pool,
      showSize(size),
      String(count),
    ]);
    // Juju's JSON has members in capitals, unlike its YAML, and scripts read them.
    const structured = entries.map(([storage, { pool, size, count }]) => [
      storage,
      format === 'json' ? { Pool: pool, Size: size, Count: count } : { pool, size, count },
    ]);
    await context.write(
      render(format, Object.fromEntries(structured), {
        tabular: () => formatSections([{ rows: [['Storage', 'Pool', 'Size', 'Count'], ...rows] }]),
      }),
    );
  },
});
