import { resolve } from 'node:path';
import { defined } from '../../core/defined.ts';
import { openerFor, openFlags } from '../backup-seals.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { restoreController, withStartLock } from '../local-controller.ts';
import { makeFolder } from '../../kit/make-folder.ts';

export const restoreBackup = command({
  name: 'restore-backup',
  summary: 'Restores a backup of a controller on this host.',
  usage: '<archive>',
  details: `Puts what create-backup archived into the data directory of a controller that does not run, in place of what is
there, which is kept beside it. The archive must be of that controller, or the directory must be empty. The next
command that uses the controller starts it.

What was done after the backup is forgotten. Each model then waits until accept-restore, and runs no hook: show-restore
tells which instances, units, hooks and volumes are newer than the backup, and nothing of that ends before.`,
  examples: ['restore-backup --data-dir /var/lib/grigri/main juju-backup-20260131-235959.tar.zst'],
  seeAlso: ['accept-restore', 'create-backup', 'show-restore', 'store-repair'],
  flags: {
    ...openFlags,
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
  },
  async run(context, { dataDir, ...seal }, args) {
    const [archive, ...moreArgs] = args;
    if (archive === undefined) throw new UsageError('no archive specified');
    noMoreArgs(moreArgs);
    if (dataDir === '') throw new UsageError('no data directory specified: use --data-dir');
    const folder = resolve(context.io.cwd, dataDir);
    await makeFolder(folder, 0o700);
    const file = resolve(context.io.cwd, archive);
    const opener = await openerFor(context, file, seal);
    const { started, before } = await withStartLock(context, folder, () =>
      context.progress(
        `Restoring ${archive}`,
        restoreController(context.io, folder, { archive: file, ...defined({ opener }) }),
      ),
    );
    if (before !== undefined) context.info(`What was there is in ${before}`);
    context.info(`The controller is as it was at ${started}`);
    context.info('Its models wait for accept-restore; show-restore tells what is newer than the backup');
  },
});
