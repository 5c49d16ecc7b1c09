/** Moves the contents of a model's secrets to the backend that the model has chosen (secrets.md#draining). */
import { JujuError } from '../../core/errors.ts';
import type { SecretRevisionDoc } from '../../core/secret-revision/document.ts';
import { secretRevisionId } from '../../core/secret-revision/document.ts';
import type { Log } from '../../kit/log.ts';
import { sideBySide } from '../../kit/side-by-side.ts';
import { requestsAtOnce } from '../secret-backends/backend.ts';
import { backendOfModel } from '../transactions/shared/secret-backends.ts';
import { moveContent } from '../transactions/shared/secrets.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'secret-drainer';
/** Time until contents that could not be moved are tried again. */
const retryMs = 60_000;

type Needs = WorkerNeeds<'dispatch' | 'log' | 'secretContents'>;

export class SecretDrainer implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch, log } = needs.services;
    this.#log = log.module('grigri.secret-drainer');
    const ends = [
      // A hook that began before the model's change may leave a content at the old place.
      dispatch.on(needs.modelUuid, 'secret-revision', ({ before, after }) => {
        if (after && before?.content !== after.content) needs.wake();
      }),
      dispatch.on('', 'secret-backend', needs.wake),
    ];
    this.stop = () => {
      for (const end of ends) end();
    };
  }

  /** Moves contents that are elsewhere. Returns milliseconds until those that could not be moved are tried again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, modelUuid } = this.#needs;
    const view = store.read();
    if (view.get('model', modelUuid)?.life !== 'alive') return undefined;
    const wanted = backendOfModel(view, modelUuid);
    const others = ['', ...[...view.list('secret-backend')].map(({ id }) => id)].filter(
      (id) => id !== wanted,
    );
    let moved = 0;
    const failed: string[] = [];
    const elsewhere = others.flatMap((other) => [
      ...view.in(modelUuid).find('secret-revision', 'backend', other || 'internal'),
    ]);
    const move = async (revision: SecretRevisionDoc): Promise<void> => {
      try {
        await this.#move(revision, wanted);
        moved += 1;
      } catch (error) {
        failed.push((error as Error).message);
        // A missing or damaged content must not keep the others from moving. Other errors are the backends'.
        if (error instanceof JujuError) throw error;
      }
    };
    await sideBySide(elsewhere, requestsAtOnce, move, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof JujuError)) throw error;
    });
    if (failed.length > 0) {
      this.#log.warning('contents of secrets cannot be moved to another backend now', {
        error: failed.at(-1),
        failed: failed.length,
        moved,
      });
      return retryMs;
    }
    if (moved > 0) this.#log.info('contents of secrets moved to another backend', { moved });
    return undefined;
  }

  /** Copies a content, then makes its revision refer to the copy; the eraser erases the original. */
  async #move(revision: SecretRevisionDoc, backend: string): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const { secretContents } = services;
    const id = secretRevisionId(revision);
    const content = await secretContents.get(revision.content);
    const isThere = store.read().in(modelUuid).get('secret-revision', id)?.content === revision.content;
    if (!isThere) return;
    if (!content) throw new Error(`the content of secret revision ${id} is missing`);
    const key = secretContents.movedKey(revision.content, backend);
    await secretContents.using(
      [{ key, content }],
      () =>
        store.change((root) => moveContent(root.in(modelUuid), { id, from: revision.content, to: key }), by),
      (one) => store.read().in(modelUuid).count('secret-revision', 'content', one) > 0,
    );
  }
}
