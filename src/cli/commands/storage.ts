import { call, only } from '../../client/calls.ts';
import { command, modelFlags, formatFlags } from '../command.ts';
import { UsageError, noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { formatFilesystems, formatStorage, storageHeads, storageRows } from '../storage.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { timeStyle } from '../time-style.ts';

export const storage = command({
  name: 'storage',
  summary: 'Lists the storage of a model.',
  usage: '[<machine> …]',
  details: `Lists the storage of units, and detached storage first. --filesystem lists the file systems that hold it, with
machines as arguments those of the machines; --volume lists volumes.`,
  examples: ['storage', 'storage --filesystem', 'storage --format json'],
  seeAlso: ['show-storage', 'add-storage', 'attach-storage', 'detach-storage', 'remove-storage'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    filesystem: bool('--filesystem', 'List filesystem storage'),
    volume: bool('--volume', 'List volume storage'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, { model, format, filesystem, volume, utc }, args) {
    if (filesystem && volume) throw new UsageError('--filesystem and --volume cannot be used together');
    if (!filesystem && !volume) noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const filters =
      args.length > 0 ? [{ machines: args.map((id) => `machine-${id.replaceAll('/', '-')}`) }] : [{}];
    const [details, filesystems] = await Promise.all([
      call(connection, 'Storage', 'ListStorageDetails', { filters: [{}] }),
      call(connection, 'Storage', 'ListFilesystems', { filters }),
    ]);
    const found = volume ? [] : (only(details.results).result ?? []);
    const its = volume ? [] : (only(filesystems.results).result ?? []);
    const shown = filesystem ? its.flatMap((one) => one.storage ?? []) : found;
    if (format === 'tabular' && shown.length === 0) return context.info('No storage to display.');
    const style = timeStyle(context.io, utc);
    const value = {
      ...(!filesystem && found.length > 0 && { storage: formatStorage(found, style) }),
      ...(its.length > 0 && { filesystems: formatFilesystems(its, style) }),
    };
    await context.write(
      render(format, value, {
        tabular: () => formatSections([{ rows: [storageHeads, ...storageRows(shown, its)] }]),
      }),
    );
  },
});
