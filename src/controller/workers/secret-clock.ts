/**
 * Tells owners of secrets that a rotation is due, or that a revision has expired, at the minute (secrets.md#rotation).
 */
import { minuteOf } from '../../core/secret/rotate.ts';
import { Timetable } from '../../kit/timetable.ts';
import { startExpiries, startRotations } from '../transactions/agent/secret-times.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'secret-clock';
/** Number of secrets that are told of in one change. */
const batch = 200;
/** The longest sleep, so that a clock that is set forward is noticed. */
const sleepMaxMs = 60_000;

type Needs = WorkerNeeds<'clock' | 'dispatch'>;
type Kind = 'secret' | 'secret-revision';

export class SecretClock implements ModelWorker {
  readonly #needs: Needs;
  readonly #view: View;
  /** Keys `<kind> <id>`, by when they are due. */
  readonly #timetable = new Timetable();
  readonly #ends: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch } = needs.services;
    this.#view = needs.store.read().in(needs.modelUuid);
    this.#ends = (['secret', 'secret-revision'] as const).map((kind) =>
      dispatch.on(needs.modelUuid, kind, ({ id }) => {
        this.#plan(kind, id);
        needs.wake();
      }),
    );
    for (const { id } of this.#view.find('secret', 'timed', 'timed')) this.#plan('secret', id);
    for (const { secret, revision } of this.#view.find('secret-revision', 'timed', 'timed'))
      this.#plan('secret-revision', `${secret}/${revision}`);
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  /** Tells owners of what is due. Returns milliseconds until the next time. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const due = this.#timetable.take(services.clock.now());
    try {
      await inBatches(due, batch, signal, async (keys) => {
        const of = (kind: Kind): string[] =>
          keys.filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1));
        await store.change((root) => {
          const tx = root.in(modelUuid);
          startRotations(tx, of('secret'));
          startExpiries(tx, of('secret-revision'));
        }, by);
      });
    } finally {
      // Secrets that an error, or a clock that was set back, has left without their hook are due again.
      for (const key of due) {
        const [kind, id] = key.split(' ') as [Kind, string];
        this.#plan(kind, id);
      }
    }
    const next = this.#timetable.untilNext(services.clock.now());
    return next === undefined ? undefined : Math.min(next, sleepMaxMs);
  }

  #plan(kind: Kind, id: string): void {
    const key = `${kind} ${id}`;
    const at = kind === 'secret' ? this.#rotation(id) : this.#expiry(id);
    if (at === undefined) return this.#timetable.delete(key);
    const now = this.#needs.services.clock.now();
    const wait = minuteOf(at) - now;
    // A far time is looked at again on the way: the timetable is exact to a thirtieth of the wait.
    this.#timetable.set(key, wait > sleepMaxMs ? wait - wait / 30 : Math.max(wait, 0), now);
  }

  #rotation(id: string): string | undefined {
    const secret = this.#view.get('secret', id);
    return secret?.rotating === undefined ? secret?.nextRotate : undefined;
  }

  #expiry(id: string): string | undefined {
    const revision = this.#view.get('secret-revision', id);
    return revision?.expiring === undefined ? revision?.nextExpiry : undefined;
  }
}
