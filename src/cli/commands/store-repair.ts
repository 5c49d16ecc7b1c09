import { JujuError } from '../../core/errors.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { repairStore } from '../local-controller.ts';

export const storeRepair = command({
  name: 'store-repair',
  summary: "Takes damaged rows out of a controller's store.",
  details: `For a controller on this host that is read-only because rows of its store are damaged, and of which there is no
copy to restore; it has to be stopped. Each damaged row is taken out: its document goes back to what it was before, or
is lost when there was nothing before. The file is copied first.`,
  examples: ['store-repair --data-dir /var/lib/grigri/main'],
  seeAlso: ['store-report'],
  flags: {
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
  },
  async run(context, { dataDir }, args) {
    noMoreArgs(args);
    if (!dataDir) throw new JujuError('', 'no data directory was given: --data-dir');
    const { copy, repairs } = await repairStore(context.io, dataDir);
    if (repairs.length === 0) return context.info('No row is damaged.');
    for (const { row, revision } of repairs) {
      const now = revision === undefined ? 'the document is lost' : `it is as at revision ${revision} now`;
      await context.write(`${row}: taken out, ${now}\n`);
    }
    context.info(`The file as it was: ${copy}`);
  },
});
