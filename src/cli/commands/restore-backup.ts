import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../../core/defined.ts';
import { openerFor, openFlags } from '../backup-seals.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { recordNewDataDir, restoreController, withStartLock } from '../local-controller.ts';
import { makeFolder } from '../../kit/make-folder.ts';

export const restoreBackup = command({
  name: 'restore-backup',
  summary: 'Restores a backup of a controller on this host.',
  usage: '<archive>',
  details: `Puts what create-backup archived into the data directory of a controller that does not run, in place of what is
there, which is kept beside it. The archive must be of that controller, or the directory must be empty. The next
command that uses the controller starts it.

With --old-data-dir the controller leaves that directory of this host for the one of --data-dir: its machines move along
and run on, and so do its backups and logs; the rest that the old one had of the controller is kept in the new one, as
before-restore-N. Keep the old directory until each machine has started again: until then machines use programs in it.

What was done after the backup is forgotten. Each model then waits until accept-restore, and runs no hook: show-restore
tells which instances, units, hooks and volumes are newer than the backup, and nothing of that ends before.`,
  examples: [
    'restore-backup --data-dir /var/lib/grigri/main juju-backup-20260131-235959.tar.zst',
    'restore-backup --data-dir /srv/grigri --old-data-dir /var/lib/grigri/main juju-backup-20260131-235959.tar.zst',
  ],
  seeAlso: ['accept-restore', 'create-backup', 'show-restore', 'store-repair'],
  flags: {
    ...openFlags,
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
    oldDataDir: text('--old-data-dir', 'Data directory that the controller had before on this host', {
      completes: 'file',
    }),
  },
  async run(context, { dataDir, oldDataDir: old, ...seal }, args) {
    const [archive, ...moreArgs] = args;
    if (archive === undefined) throw new UsageError('no archive specified');
    noMoreArgs(moreArgs);
    if (dataDir === '') throw new UsageError('no data directory specified: use --data-dir');
    const folder = resolve(context.io.cwd, dataDir);
    const file = resolve(context.io.cwd, archive);
    const opener = await openerFor(context, file, seal);
    const oldDataDir = old === '' ? undefined : resolve(context.io.cwd, old);
    if (oldDataDir === folder) throw new UsageError('--old-data-dir is the directory of --data-dir');
    // Its lock would make the directory.
    if (oldDataDir !== undefined && !existsSync(oldDataDir)) throw new Error(`no directory ${oldDataDir}`);
    await makeFolder(folder, 0o700);
    const restore = (): ReturnType<typeof restoreController> =>
      context.progress(
        `Restoring ${archive}`,
        restoreController(context.io, folder, { archive: file, ...defined({ opener, oldDataDir }) }),
      );
    const { started, before } = await withStartLock(context, folder, () =>
      oldDataDir === undefined ? restore() : withStartLock(context, oldDataDir, restore),
    );
    if (oldDataDir !== undefined) await recordNewDataDir(context, oldDataDir, folder);
    if (before !== undefined) context.info(`What was there is in ${before}`);
    context.info(`The controller is as it was at ${started}`);
    context.info('Its models wait for accept-restore; show-restore tells what is newer than the backup');
  },
});
