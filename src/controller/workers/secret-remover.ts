/** Removes, some at a time, the very many secrets that units which are gone had or read (secrets.md#end-of-secrets). */
import { ownerKey } from '../../core/secret/document.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { forgetReading, removeSecret } from '../transactions/secrets.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'secret-remover';
const readingsOfBatch = 200;
/** Secrets have revisions, grants and readers, which go with them. */
const secretsOfBatch = 20;

export class SecretRemover implements ModelWorker {
  readonly #needs: WorkerNeeds<'dispatch'>;
  /** Units that are gone. */
  readonly #gone: DirtyIds;
  readonly stop: () => void;

  constructor(needs: WorkerNeeds<'dispatch'>) {
    this.#needs = needs;
    this.#gone = new DirtyIds(() => leavers(this.#read()));
    this.stop = needs.services.dispatch.on(needs.modelUuid, 'unit', ({ id, after }) => {
      if (after || !hasLeft(this.#read(), id)) return;
      this.#gone.add([id]);
      needs.wake();
    });
  }

  async pass(signal: AbortSignal): Promise<undefined> {
    await this.#gone.take(async (units) => {
      for (const unit of units) {
        const view = this.#read();
        await inBatches(view.find('secret-consumer', 'unit', unit), readingsOfBatch, signal, (some) =>
          this.#change((tx) => {
            for (const reading of some) forgetReading(tx, reading);
          }),
        );
        await inBatches(view.find('secret', 'owner', ownerOf(unit)), secretsOfBatch, signal, (some) =>
          this.#change((tx) => {
            for (const { id } of some) if (tx.get('secret', id)) removeSecret(tx, id);
          }),
        );
      }
    });
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change(fn: (tx: Tx) => void): Promise<void> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

const ownerOf = (unit: string): string => ownerKey({ kind: 'unit', id: unit });

function hasLeft(view: View, unit: string): boolean {
  return view.count('secret-consumer', 'unit', unit) > 0 || view.count('secret', 'owner', ownerOf(unit)) > 0;
}

/** Units that are gone and have left something, as after a crash. */
function leavers(view: View): Iterable<string> {
  const names = new Set<string>();
  for (const { unit } of view.list('secret-consumer')) names.add(unit);
  for (const { owner } of view.list('secret')) if (owner.kind === 'unit') names.add(owner.id);
  return [...names].filter((name) => !view.get('unit', name));
}
