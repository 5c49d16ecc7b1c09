/** Which archives of a schedule go when it has made one more (backups.md#schedule). */
import type { BackupSchedule } from './document.ts';

export interface KeptArchive {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
}

/**
 * The archives that are beyond what is kept, of those that the schedule has made. `made` is the newest, which stays
 * whatever the limits are. One that is dated after it comes from before the clock was set back: it counts as the
 * oldest. Ages are told as of one interval after the backup before `made` at most, so that a clock that jumps ahead
 * does not make all of them too old.
 */
export function beyondRetention(
  archives: readonly KeptArchive[],
  { every, keep, keepAge, keepSize }: Pick<BackupSchedule, 'every' | 'keep' | 'keepAge' | 'keepSize'>,
  made: KeptArchive,
): string[] {
  const isLater = ({ time }: KeptArchive): boolean => time > made.time;
  const others = archives
    .filter(({ name }) => name !== made.name)
    .sort((a, b) => Number(isLater(a)) - Number(isLater(b)) || b.time - a.time);
  const previous = others.find((archive) => !isLater(archive))?.time ?? made.time;
  const now = Math.min(made.time, previous + every);
  let [count, bytes] = [1, made.bytes];
  return others
    .filter((archive) => {
      count += 1;
      bytes += archive.bytes;
      const isOld = now - archive.time > (keepAge ?? Infinity);
      return count > keep || bytes > (keepSize ?? Infinity) || isOld;
    })
    .map(({ name }) => name);
}
