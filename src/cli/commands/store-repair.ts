import { JujuError } from '../../core/errors.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { repairStore } from '../local-controller.ts';

export const storeRepair = command({
  name: 'store-repair',
  summary: "Removes damaged rows from a controller's store.",
  details: `For a controller on this host that is read-only because rows of its store are damaged, when there is no
backup to restore. The controller must be stopped. Each damaged row is removed: its document is restored to the
previous revision, or lost if there is none. The store is copied first.`,
  examples: ['store-repair --data-dir /var/lib/grigri/main'],
  seeAlso: ['store-report'],
  flags: {
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
  },
  async run(context, { dataDir }, args) {
    noMoreArgs(args);
    if (!dataDir) throw new JujuError('', 'no data directory specified: use --data-dir');
    const { copy, repairs } = await context.progress('Checking the store', repairStore(context.io, dataDir));
    if (repairs.length === 0) return context.info('No damaged rows found.');
    for (const { row, revision } of repairs) {
      const outcome =
        revision === undefined ? 'the document is lost' : `the document is restored to revision ${revision}`;
      await context.write(`${row}: removed, ${outcome}\n`);
    }
    context.info(`Backup of the store: ${copy}`);
  },
});
