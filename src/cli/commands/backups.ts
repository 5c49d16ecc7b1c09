import { checkBackupName } from '../../core/controller/backup.ts';
import { formatDuration } from '../../core/duration.ts';
import { defined } from '../../core/defined.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { parseSize, showSize } from '../../core/storage/directive.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { recipientFor, sealFlags } from '../backup-seals.ts';
import { withDashes } from '../../kit/gnuflag.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, duration, int, maybe, text, type FlagValues } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatBytes } from '../format/bytes.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatTime, type TimeStyle } from '../format/time.ts';
import { confirm, mustAsk, promptFlags } from '../prompts.ts';
import { timeStyle } from '../time-style.ts';

const scheduleFlags = {
  every: duration('--every', 'Make a backup as often as this: 24h, 30m'),
  at: text('--at', 'Count the interval from this time of day in UTC: 03:00; "" = from when it is set'),
  keep: int('--keep', 'Keep so many backups of the schedule', 7),
  keepAge: duration('--keep-age', 'Keep no backup of the schedule that is older: 720h; 0 = any age'),
  keepSize: text('--keep-size', 'Keep as many as fit into this size: 20G; 0 = any size'),
  logs: maybe('--logs', "Put the controller's logs into the archives"),
  off: bool('--off', 'End the schedule; its backups stay'),
  ...sealFlags,
};
const flags = {
  ...controllerFlags,
  ...formatFlags('tabular', 'json', 'yaml'),
  ...promptFlags,
  utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  ...scheduleFlags,
};
type Flags = FlagValues<typeof flags>;

export const backups = command({
  name: 'backups',
  summary: 'Lists and removes backups on the controller, and makes them by a schedule.',
  usage: '[list | remove <name> ... | schedule]',
  details: `"list" shows the archives in the folder for backups on the controller's host: those that the schedule has made,
and those of create-backup --no-download. Each was read back when it was made. download-backup downloads one.

"schedule" shows the schedule. With --every, the controller makes backups by itself, and keeps the newest: as many
as --keep says, as far as they are not older than --keep-age nor larger together than --keep-size. Older ones go only
after a newer one was made and read back; backups that were made by hand stay. A later "schedule" changes what it names
and leaves the rest. Without --at, the first backup is made at once.

The archives have the controller's keys: seal them by --public-key, whose private key is kept elsewhere. A passphrase
would have to be kept by the controller, so there is none for a schedule.

A backup that fails is tried again by itself; status of the model "controller" tells why.`,
  examples: [
    'backups',
    'backups schedule --every 24h --at 03:00 --keep 14 --public-key backup.pub.pem',
    'backups schedule --keep-age 720h --keep-size 50G',
    'backups schedule --off',
    'backups remove juju-backup-20260131-030000.tar.zst',
  ],
  seeAlso: ['create-backup', 'download-backup', 'restore-backup'],
  completes: [['list', 'remove', 'schedule']],
  flags,
  async run(context, given, [verb = 'list', ...args], givenFlags) {
    const names = Object.keys(scheduleFlags) as (keyof typeof scheduleFlags)[];
    const stray = names.find((name) => givenFlags.has(name));
    if (verb !== 'schedule' && stray !== undefined)
      throw new UsageError(`${withDashes(flags[stray].names[0]!)} goes with "backups schedule" only`);
    switch (verb) {
      case 'list':
        noMoreArgs(args);
        return list(context, given);
      case 'remove':
        return remove(context, given, args);
      case 'schedule':
        noMoreArgs(args);
        return schedule(context, given, givenFlags);
      default:
        throw new UsageError(`unknown subcommand "${verb}": expected list, remove or schedule`);
    }
  },
});

async function list(context: CommandContext, { controller, format, utc }: Flags): Promise<void> {
  const { connection } = await context.openController(controller);
  const listed = await call(connection, 'BackupArchives', 'List', {});
  const { folder, list: found, failed = [] } = listed;
  const { schedule: doc } = await call(connection, 'BackupArchives', 'Schedule', {});
  if (found.length + failed.length === 0 && format === 'tabular')
    context.info(`No backups in ${folder} on the controller.`);
  const style = timeStyle(context.io, utc);
  await context.write(
    render(
      format,
      { folder, backups: Object.fromEntries(found.map(({ name, ...rest }) => [name, rest])), failed },
      { tabular: () => tableOf(listed, style) },
    ),
  );
  if (doc?.trouble !== undefined) context.warning(doc.trouble);
}

/** Archives and failed attempts in one table, the newest first. */
function tableOf({ list: found, failed = [] }: ResultOf<'BackupArchives', 'List'>, style: TimeStyle): string {
  const made = found.map(({ name, started, size, sealed, scheduled, verified }) => ({
    at: started,
    row: [
      name,
      formatTime(started, style),
      formatBytes(size),
      sealed ? 'yes' : 'no',
      scheduled ? 'schedule' : 'hand',
      verified ? 'yes' : 'no',
    ],
  }));
  const tried = failed.map(({ at, reason }) => ({
    at,
    row: [`failed: ${reason}`, formatTime(at, style), '', '', 'schedule', ''],
  }));
  const rows = [...made, ...tried].toSorted((a, b) => b.at.localeCompare(a.at)).map(({ row }) => row);
  const names = ['Backup', 'Made', 'Size', 'Sealed', 'By', 'Verified'];
  return rows.length === 0 ? '' : formatSections([{ rows: [names, ...rows], right: [2] }]);
}

async function remove(context: CommandContext, given: Flags, names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new UsageError('expected names of backups, as "backups list" shows them');
  checkLimit(limits.backupsRemoved, names.length);
  for (const name of names) checkBackupName(name);
  const { connection, controller } = await context.openController(given.controller);
  if (mustAsk(given)) {
    context.info(
      `This removes from controller ${controller}:\n${names.map((name) => `  ${name}`).join('\n')}`,
    );
    await confirm(context, 'removing backups');
  }
  const { results } = await call(connection, 'BackupArchives', 'Remove', { ids: [...names] });
  for (const [i, { error }] of results.entries()) if (!error) context.info(`removed ${names[i]}`);
  const failed = results.flatMap(({ error }) => error?.message ?? []);
  if (failed.length > 0) throw new Error(failed.join('\n'));
}

async function schedule(
  context: CommandContext,
  given: Flags,
  givenFlags: ReadonlySet<string>,
): Promise<void> {
  const changes = Object.keys(scheduleFlags).filter((name) => givenFlags.has(name));
  if (given.off && changes.length > 1)
    throw new UsageError('cannot mix --off and other flags of the schedule');
  const change = given.off ? undefined : await changeOf(context, given, givenFlags);
  const { connection } = await context.openController(given.controller);
  if (given.off) {
    await call(connection, 'BackupArchives', 'EndSchedule', {});
    return context.info('Backups are no longer made by schedule; those that were made stay.');
  }
  const shown =
    change && changes.length > 0
      ? await call(connection, 'BackupArchives', 'SetSchedule', change)
      : (await call(connection, 'BackupArchives', 'Schedule', {})).schedule;
  if (!shown && given.format === 'tabular') context.info('Backups are not made by schedule.');
  const tabular = (): string => (shown ? describe(context, given, shown) : '');
  await context.write(render(given.format, shown ?? {}, { tabular }));
  if (shown?.trouble !== undefined) context.warning(shown.trouble);
}

async function changeOf(context: CommandContext, given: Flags, givenFlags: ReadonlySet<string>) {
  if (given.passphrase || given.passphraseFile !== '')
    throw new UsageError(
      'a schedule cannot seal with a passphrase, which the controller would have to keep: use --public-key',
    );
  const recipient = await recipientFor(context, given);
  const seconds = (ms: number | undefined): number | undefined => ms && Math.round(ms / 1000);
  return defined({
    every: seconds(given.every),
    at: givenFlags.has('at') ? given.at : undefined,
    keep: givenFlags.has('keep') ? given.keep : undefined,
    'keep-age': seconds(given.keepAge),
    'keep-size': givenFlags.has('keepSize') ? bytesOf(given.keepSize) : undefined,
    'public-key': recipient?.publicKey,
    logs: given.logs,
  });
}

function bytesOf(size: string): number {
  const mib = size === '0' ? 0 : parseSize(size);
  if (mib === undefined)
    throw new UsageError(`size "${size}" not valid: expected a number with M, G or T, as in 20G`);
  return mib * 1024 * 1024;
}

type Schedule = NonNullable<ResultOf<'BackupArchives', 'Schedule'>['schedule']>;

function describe(context: CommandContext, { utc }: Flags, shown: Schedule): string {
  const style = timeStyle(context.io, utc);
  const { at, 'keep-age': age, 'keep-size': size, 'public-key': key } = shown;
  const kept = [
    `the newest ${shown.keep}`,
    ...(age === undefined ? [] : [`none older than ${formatDuration(age * 1000)}`]),
    ...(size === undefined ? [] : [`together up to ${showSize(Math.round(size / 1024 ** 2))}`]),
  ];
  const rows: readonly (readonly [string, string])[] = [
    ['every', `${formatDuration(shown.every * 1000)}${at === undefined ? '' : ` at ${at} UTC`}`],
    ['keeps', kept.join(', ')],
    ['sealed', key === undefined ? 'no' : `for the public key ${key}`],
    ['with logs', shown.logs ? 'yes' : 'no'],
    ['next', formatTime(shown.next, style)],
    ['newest', formatTime(shown.last, style) || 'none yet'],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(12)}${value}\n`).join('');
}
