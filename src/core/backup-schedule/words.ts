/** A schedule of backups in words, for its history and for users. */
import { formatDuration } from '../duration.ts';
import type { HistoryEvent } from '../history/event.ts';
import type { BackupSchedule, BackupScheduleDoc } from './document.ts';

/** `every 24h at 03:00 UTC, keeps 7, sealed`. */
function scheduleText({ every, at, keep, keepAge, keepSize, publicKey, logs }: BackupSchedule): string {
  return [
    `every ${formatDuration(every)}${at === undefined ? '' : ` at ${at} UTC`}`,
    `keeps ${keep}`,
    ...(keepAge === undefined ? [] : [`none older than ${formatDuration(keepAge)}`]),
    ...(keepSize === undefined ? [] : [`together up to ${keepSize} bytes`]),
    publicKey === undefined ? 'not sealed' : 'sealed for a public key',
    ...(logs ? ['with logs'] : []),
  ].join(', ');
}

/** Changes of the schedule and backups that it made, or could not make; nothing for a step of its times alone. */
export function describeSchedule(
  before: BackupScheduleDoc | undefined,
  after: BackupScheduleDoc | undefined,
): HistoryEvent[] {
  const event = (what: string, detail = ''): HistoryEvent => ({
    subject: 'backups',
    what,
    detail,
    about: [],
  });
  if (!after) return [event('no longer scheduled')];
  const [was, is] = [before && scheduleText(before), scheduleText(after)];
  const { last, failure } = after;
  return [
    ...(was === is && before?.publicKey === after.publicKey
      ? []
      : [event(before ? 'schedule changed:' : 'scheduled', is)]),
    ...(last && last.name !== before?.last?.name ? [event('made by schedule', last.name)] : []),
    ...(failure && failure.attempt !== before?.failure?.attempt
      ? [event(`failed: ${failure.reason}`, `attempt ${failure.attempt}`)]
      : []),
  ];
}
