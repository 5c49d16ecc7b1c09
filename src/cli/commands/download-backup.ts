import { checkDestination, downloadTo, openControllerModel } from '../backups.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';

export const downloadBackup = command({
  name: 'download-backup',
  summary: 'Download a backup archive file.',
  usage: '<name>|/full/path/to/backup/on/controller',
  details: `Downloads an archive that create-backup --no-download left on the controller's host, from where it is
removed once it is on the disk here, or one that the schedule of "backups schedule" has made, which stays. Prints the
name of the file: without --filename another than the archive's where a file has that.`,
  examples: [
    'download-backup juju-backup-20260131-235959.tar.zst',
    'download-backup /var/lib/grigri/main/backups/juju-backup-20260131-235959.tar.zst',
  ],
  seeAlso: ['backups', 'create-backup', 'restore-backup'],
  flags: { ...modelFlags, filename: text('--filename', 'Download target', { completes: 'file' }) },
  async run(context, { model, filename }, args) {
    const [id, ...moreArgs] = args;
    if (id === undefined) throw new UsageError('missing filename');
    noMoreArgs(moreArgs);
    const session = await openControllerModel(context, model);
    if (filename !== '') await checkDestination(context, filename);
    await context.write(`${await downloadTo(context, session, { id, filename })}\n`);
  },
});
