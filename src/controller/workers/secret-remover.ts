/**
 * Removes, some at a time, the very many records of secrets that are gone, and of what removed units had and read
 * (secrets.md#end-of-secrets). Nobody can read these any more.
 */
import { ownerKey } from '../../core/secret/document.ts';
import {
  countLeft,
  forgetReading,
  removeGrants,
  removeReadings,
  removeRevisions,
  removeSecret,
} from '../transactions/shared/secrets.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'secret-remover';
const batch = 200;
/** Secrets in one batch: few, as their revisions, grants and readers go with them. */
const secretsOfBatch = 20;
/** Number of records that are looked at in one turn, when the worker starts. */
const readOfTurn = 5_000;

type Needs = WorkerNeeds<'dispatch' | 'nextTurn'>;

export class SecretRemover implements ModelWorker {
  readonly #needs: Needs;
  /** Units that are gone and have left something. */
  readonly #units = new Set<string>();
  /** Secrets that are gone and have left something. */
  readonly #secrets = new Set<string>();
  #hasLooked = false;
  readonly #ends: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch } = needs.services;
    const note = (kind: 'unit' | 'secret') =>
      dispatch.on(needs.modelUuid, kind, ({ id, after }) => {
        if (!after && this.#note(kind, id)) needs.wake();
      });
    this.#ends = [note('unit'), note('secret')];
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async pass(signal: AbortSignal): Promise<undefined> {
    if (!this.#hasLooked) await this.#look(signal);
    this.#hasLooked = true;
    for (const unit of this.#units) {
      await this.#emptyUnit(unit, signal);
      this.#units.delete(unit);
    }
    for (const secret of this.#secrets) {
      await this.#emptySecret(secret, signal);
      this.#secrets.delete(secret);
    }
  }

  async #emptyUnit(unit: string, signal: AbortSignal): Promise<void> {
    const view = this.#read();
    const key = ownerOf(unit);
    await inBatches(view.find('secret-grant', 'subject', key), batch, signal, (some) =>
      this.#change((tx) => removeGrants(tx, some)),
    );
    await inBatches(view.find('secret-consumer', 'unit', unit), batch, signal, (some) =>
      this.#change((tx) => {
        for (const reading of some) forgetReading(tx, reading);
      }),
    );
    await inBatches(view.find('secret', 'owner', key), secretsOfBatch, signal, (some) =>
      this.#change((tx) => {
        for (const { id } of some) if (tx.get('secret', id)) removeSecret(tx, id);
      }),
    );
  }

  async #emptySecret(id: string, signal: AbortSignal): Promise<void> {
    const view = this.#read();
    // Contents are erased with their revisions: these come first.
    await inBatches(view.find('secret-revision', 'secret', id), batch, signal, (some) =>
      this.#change((tx) => removeRevisions(tx, some)),
    );
    await inBatches(view.find('secret-grant', 'secret', id), batch, signal, (some) =>
      this.#change((tx) => removeGrants(tx, some)),
    );
    await inBatches(view.find('secret-consumer', 'secret', id), batch, signal, (some) =>
      this.#change((tx) => removeReadings(tx, some)),
    );
  }

  /** Looks for records that a crash has left. */
  async #look(signal: AbortSignal): Promise<void> {
    const view = this.#read();
    const { nextTurn } = this.#needs.services;
    const pause = (): Promise<void> => new Promise<void>((resolve) => nextTurn(resolve));
    for (const kind of ['secret-revision', 'secret-grant', 'secret-consumer', 'secret'] as const)
      await inBatches(view.list(kind), readOfTurn, signal, (some) => {
        for (const doc of some) {
          // Readings of another model's units are not over: they go with the relation.
          const isOver = 'unit' in doc && doc.relation !== undefined;
          if ('secret' in doc && !(isOver && doc.latest !== undefined)) this.#note('secret', doc.secret);
          if ('unit' in doc && !(isOver && doc.latest === undefined)) this.#note('unit', doc.unit);
          if ('subject' in doc && doc.subject.kind === 'unit') this.#note('unit', doc.subject.id);
          if ('owner' in doc && doc.owner.kind === 'unit') this.#note('unit', doc.owner.id);
        }
        return pause();
      });
  }

  /** Remembers a unit or secret that is gone and has left records. Returns whether it has. */
  #note(kind: 'unit' | 'secret', id: string): boolean {
    const view = this.#read();
    if (view.get(kind, id)) return false;
    if (kind === 'unit' && hasLeft(view, id)) this.#units.add(id);
    else if (kind === 'secret' && countLeft(view, id) > 0) this.#secrets.add(id);
    else return false;
    return true;
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
  const key = ownerOf(unit);
  return (
    view.count('secret-consumer', 'unit', unit) > 0 ||
    view.count('secret', 'owner', key) > 0 ||
    view.count('secret-grant', 'subject', key) > 0
  );
}
