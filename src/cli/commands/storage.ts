import { call, only } from '../../client/calls.ts';
import { command, modelFlags, formatFlags } from '../command.ts';
import { UsageError, noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { formatSectionsOf, storageHeads, storageRows } from '../storage.ts';
import { render } from '../format/render.ts';
import { filesystemTable, volumeTable } from '../format/storage-lists.ts';
import { formatSections } from '../format/tabwriter.ts';
import { timeStyle } from '../time-style.ts';

export const storage = command({
  name: 'storage',
  summary: 'Lists the storage of a model.',
  usage: '[<machine> …]',
  details: `Lists the storage of units, and detached storage first. --filesystem lists the file systems that hold it, with
machines as arguments those of the machines; --volume lists volumes: disks, and what is below file systems.`,
  examples: ['storage', 'storage --filesystem', 'storage --format json'],
  seeAlso: ['show-storage', 'add-storage', 'attach-storage', 'detach-storage', 'remove-storage'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    filesystem: bool('--filesystem', 'List filesystem storage'),
    volume: bool('--volume', 'List volume storage'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, { model, format, filesystem, volume, utc }, args) {
    if (filesystem && volume) throw new UsageError('--filesystem and --volume can not be used together');
    if (!filesystem && !volume) noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const filters =
      args.length > 0 ? [{ machines: args.map((id) => `machine-${id.replaceAll('/', '-')}`) }] : [{}];
    const isListed = { storage: !filesystem && !volume, filesystems: !volume, volumes: !filesystem };
    const [details, filesystems, volumes] = await Promise.all([
      isListed.storage && call(connection, 'Storage', 'ListStorageDetails', { filters: [{}] }),
      isListed.filesystems && call(connection, 'Storage', 'ListFilesystems', { filters }),
      isListed.volumes && call(connection, 'Storage', 'ListVolumes', { filters }),
    ]);
    const found = (details && only(details.results).result) || [];
    const its = (filesystems && only(filesystems.results).result) || [];
    const disks = (volumes && only(volumes.results).result) || [];
    if (format === 'tabular' && [...found, ...its, ...disks].length === 0)
      return context.info('No storage to display.');
    await context.write(
      render(format, formatSectionsOf(found, its, disks, timeStyle(context.io, utc)), {
        tabular: () => formatSections([{ rows: rowsOf() }]),
      }),
    );

    function rowsOf(): string[][] {
      if (filesystem) return filesystemTable(its);
      if (volume) return volumeTable(disks);
      return [storageHeads, ...storageRows(found, [...its, ...disks])];
    }
  },
});
