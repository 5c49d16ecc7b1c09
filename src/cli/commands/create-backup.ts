import { call, type ResultOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { recipientFor, sealFlags } from '../backup-seals.ts';
import { checkDestination, downloadTo, openControllerModel } from '../backups.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';

export const createBackup = command({
  name: 'create-backup',
  summary: 'Create a backup.',
  usage: '[<notes>]',
  details: `Makes an archive of all that the controller stores: models, users, charms, resources and secrets, as they are at one
moment. The controller goes on meanwhile. The archive is downloaded, and removed from the controller's host once it is
on the disk here; until then download-backup fetches it. Without --filename it replaces no file.

It has the controller's keys, with which the secrets in it are read: keep it as safe as the controller, or seal it. A
sealed archive is opened by the private key of --public-key alone, or by the passphrase, which the controller
never learns. "openssl genpkey -algorithm x25519 -out backup.pem" makes a key, and "openssl pkey -in backup.pem
-pubout" tells its public one. The archive is read back before it gets its name.

With --no-download it stays on
the controller's host, in the folder that backup-dir of the model "controller" names. restore-backup restores it.`,
  examples: [
    'create-backup',
    'create-backup --filename before-upgrade.tar.zst "before the upgrade"',
    'create-backup --public-key backup.pub.pem --logs',
  ],
  seeAlso: ['backups', 'download-backup', 'restore-backup'],
  flags: {
    ...modelFlags,
    filename: text('--filename', 'Download to this file (default juju-backup-<date>-<time>.tar.zst)', {
      completes: 'file',
    }),
    noDownload: bool('--no-download', 'Do not download the archive'),
    logs: bool('--logs', "Put the controller's logs into the archive"),
    ...sealFlags,
  },
  async run(context, { model, filename, noDownload, logs, ...seal }, args) {
    noMoreArgs(args.slice(1));
    if (noDownload && filename !== '') throw new UsageError('cannot mix --no-download and --filename');
    if (filename !== '') await checkDestination(context, filename);
    const recipient = await recipientFor(context, seal);
    const session = await openControllerModel(context, model);
    const made = await context.progress(
      'Making the backup',
      call(session.connection, 'Backups', 'Create', {
        notes: args[0] ?? '',
        'no-download': noDownload,
        ...defined({ recipient, logs: logs || undefined }),
      }),
    );
    await context.write(describe(made));
    if (noDownload) return context.info(`Remote backup stored on the controller as ${made.filename}`);
    const file = await downloadTo(context, session, { id: made.filename, filename });
    context.info(`Downloaded to ${file}`);
  },
});

function describe(made: ResultOf<'Backups', 'Create'>): string {
  const rows: readonly (readonly [string, string | number])[] = [
    ['backup ID', made.id],
    ['backup format version', made['format-version']],
    ['juju version', made.version],
    ['base', made.base],
    ['controller UUID', made['controller-uuid']],
    ['model UUID', made.model],
    ['machine ID', made.machine],
    ['created on host', made.hostname],
    ['checksum', made.checksum],
    ['checksum format', made['checksum-format']],
    ['size (B)', made.size],
    ['started', made.started],
    ['finished', made.finished],
    ['notes', made.notes],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(24)}${value}\n`).join('');
}
