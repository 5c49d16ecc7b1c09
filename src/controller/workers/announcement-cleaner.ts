/**
 * Removes resources that were announced, and perhaps uploaded, and that no deploy took
 * (resources.md#announced-resources).
 */
import { dropAnnouncements } from '../transactions/shared/resources.ts';
import type { View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'announcement-cleaner';
const keptMs = 24 * 3_600_000;

export class AnnouncementCleaner implements ModelWorker {
  readonly #needs: WorkerNeeds<'clock' | 'dispatch'>;
  readonly #view: View;
  readonly stop: () => void;

  constructor(needs: WorkerNeeds<'clock' | 'dispatch'>) {
    this.#needs = needs;
    this.#view = needs.store.read().in(needs.modelUuid);
    this.stop = needs.services.dispatch.on(needs.modelUuid, 'resource@pending pending', () => needs.wake());
  }

  /** Returns milliseconds until the oldest announcement is to be removed. */
  async pass(): Promise<number | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const before = services.clock.now() - keptMs;
    if ((this.#oldest() ?? Infinity) <= before)
      await store.change((root) => dropAnnouncements(root.in(modelUuid), new Date(before).toISOString()), by);
    const oldest = this.#oldest();
    return oldest === undefined ? undefined : Math.max(oldest - before, 1_000);
  }

  #oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { timestamp } of this.#view.find('resource', 'pending', 'pending')) {
      const at = Date.parse(timestamp);
      if (oldest === undefined || at < oldest) oldest = at;
    }
    return oldest;
  }
}
