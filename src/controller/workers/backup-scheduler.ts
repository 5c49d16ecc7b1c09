/** Makes the backups of the controller's schedule, and removes those that it does not keep (backups.md#schedule). */
import { scheduleId, type BackupScheduleDoc } from '../../core/backup-schedule/document.ts';
import { beyondRetention } from '../../core/backup-schedule/retention.ts';
import { timeAfter, waitOf } from '../../core/backup-schedule/schedule.ts';
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import { isHeld } from '../../core/model/restored.ts';
import type { Log } from '../../kit/log.ts';
import { errorText } from '../../kit/system-error.ts';
import type { Store } from '../../store/store.ts';
import type { StoredArchive } from '../backups/archive-folder.ts';
import type { Backups } from '../backups/backups.ts';
import type { Services } from '../services.ts';
import {
  recordFailedBackup,
  recordScheduledBackup,
  recountSchedule,
} from '../transactions/change/scheduled-backup.ts';
import type { Tx } from '../transactions/tx.ts';

const by = 'backup-scheduler';
/** Longest sleep: a change of the clock is noticed after it. */
const sleepMaxMs = 10 * 60_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'backups' | 'clock' | 'dispatch' | 'log'>;
  readonly wake: () => void;
}

export class BackupScheduler {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #model: string;
  #isSwept = false;
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { store, services } = needs;
    this.#log = services.log.module('grigri.backup-scheduler');
    this.#model = store.read().get('controller', 'self')?.modelUuid ?? '';
    this.stop = services.dispatch.on(this.#model, 'backup-schedule', needs.wake);
  }

  /** Makes a backup that is due. Returns milliseconds until the next look. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { backups, clock } = this.#needs.services;
    if (!backups) return undefined;
    await this.#sweep(backups);
    const doc = this.#schedule();
    if (!doc) return undefined;
    const wait = waitOf(doc, clock.now());
    if (wait === undefined) {
      await this.#change(recountSchedule);
      return 0;
    }
    if (wait > 0) return Math.min(wait, sleepMaxMs);
    await this.#make(doc, backups, signal);
    return 0;
  }

  async #sweep(backups: Backups): Promise<void> {
    if (this.#isSwept) return;
    this.#isSwept = true;
    await backups.sweep().catch((error: unknown) =>
      this.#log.warning('what a killed controller left of a backup cannot be removed', {
        error: errorText(error),
      }),
    );
  }

  async #make(doc: BackupScheduleDoc, backups: Backups, signal: AbortSignal): Promise<void> {
    try {
      const made = (await this.#madeBefore(doc, backups)) ?? (await this.#create(doc, backups));
      await this.#change((tx) => recordScheduledBackup(tx, made));
      await this.#removeOlder(made, backups).catch((error: unknown) =>
        this.#log.warning('older backups of the schedule cannot be removed', { error: errorText(error) }),
      );
    } catch (error) {
      signal.throwIfAborted();
      const reason = errorText(error);
      this.#log.error('a backup of the schedule failed', { error: reason });
      await this.#change((tx) => recordFailedBackup(tx, reason));
    }
  }

  /** The backup that is due, when a controller has made it that was killed before it was recorded. */
  async #madeBefore(doc: BackupScheduleDoc, { archives }: Backups): Promise<string | undefined> {
    const now = this.#needs.services.clock.now();
    // A backup of an earlier time is not the one that is due. Names tell whole seconds.
    const due = Math.max(Date.parse(doc.next), timeAfter(doc, now) - doc.every);
    const from = Math.floor(due / 1000) * 1000;
    return scheduled(await archives.list()).find(({ time }) => time >= from && time <= now)?.name;
  }

  async #create({ publicKey, logs }: BackupScheduleDoc, backups: Backups): Promise<string> {
    const recipient = publicKey === undefined ? undefined : { publicKey };
    const { path, size } = await backups.create({
      notes: 'made by schedule',
      isScheduled: true,
      ...defined({ recipient, logs }),
    });
    this.#log.info('a backup of the schedule was made', { path, bytes: size });
    return path.slice(path.lastIndexOf('/') + 1);
  }

  /**
   * Removes what is not kept, now that there is a newer backup, which was read back. A schedule that was restored
   * removes nothing before an operator has accepted that.
   */
  async #removeOlder(name: string, { archives }: Backups): Promise<void> {
    const kept = scheduled(await archives.list());
    const made = kept.find((archive) => archive.name === name);
    const doc = this.#schedule();
    if (!made || !doc || isHeld(this.#needs.store.read().in('').get('model', this.#model))) return;
    for (const older of beyondRetention(kept, doc, made)) {
      await archives.remove(older);
      this.#log.info('an older backup of the schedule was removed', { name: older });
    }
  }

  #schedule(): BackupScheduleDoc | undefined {
    return this.#needs.store.read().in(this.#model).get('backup-schedule', scheduleId);
  }

  async #change(fn: (tx: Tx) => void): Promise<void> {
    await this.#needs.store.change((tx) => fn(tx.in(this.#model)), by);
  }
}

/** The archives that the schedule has made, the newest first. */
function scheduled(archives: readonly StoredArchive[]): StoredArchive[] {
  return archives.filter(({ isScheduled }) => isScheduled);
}
